import { ArrowLeft } from 'lucide-react';
import { Link, useLoaderData, useLocation } from 'react-router-dom';
import { paths } from '@/paths';
import { Prose } from '@/site/prose';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';
import { Day } from './day';
import { dayOf, type Entry } from './entries';

export function EntryPage() {
  const { title, html } = useLoaderData<Entry>();
  const { pathname } = useLocation();
  usePageTitle(title);
  return (
    <SiteFrame>
      <article className="mx-auto grid max-w-3xl grid-cols-1 gap-8 px-4 py-14 md:px-8 lg:py-20">
        <header className="grid gap-4">
          <Link
            to={paths.blog}
            className="flex w-fit items-center gap-1.5 rounded-md text-muted hover:text-ink"
          >
            <ArrowLeft aria-hidden className="size-4" />
            Blog
          </Link>
          <h1 className="text-4xl font-semibold tracking-tight text-balance text-ink max-sm:text-3xl">
            {title}
          </h1>
          <Day value={dayOf(pathname.replace(/^.*\/blog\//, ''))} />
        </header>
        <Prose html={html} />
      </article>
    </SiteFrame>
  );
}
