import { ArrowLeft } from 'lucide-react';
import { Link, type RouteObject, useLoaderData, useLocation } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { paths } from '@/paths';
import { Prose } from '@/site/prose';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';
import { dayOf, type BlogPost, postSummaries, postLoaders } from './posts';

export const blogRoutes: RouteObject[] = [
  { path: paths.blog, Component: BlogPage },
  ...postLoaders.map(({ slug, load }) => ({
    path: paths.blogPost(slug),
    loader: () => loadCode(load),
    Component: PostPage,
  })),
];

function BlogPage() {
  usePageTitle('Blog');
  return (
    <SiteFrame>
      <div className="mx-auto grid max-w-3xl grid-cols-1 gap-10 px-4 py-16 md:px-8 lg:py-24">
        <header className="grid gap-3">
          <h1 className="text-4xl font-semibold tracking-tight text-ink max-sm:text-3xl">Blog</h1>
          <p className="text-lg text-pretty text-muted">
            What is new in Allclear, and why it is built the way it is.
          </p>
        </header>
        <ul className="grid">
          {postSummaries.map(({ slug, title, summary, day }) => (
            <li key={slug} className="border-t border-line">
              <Link to={paths.blogPost(slug)} className="group grid gap-2 rounded-md py-7">
                <Day value={day} />
                <h2 className="text-xl font-semibold text-balance text-ink underline-offset-4 group-hover:underline">
                  {title}
                </h2>
                <span className="line-clamp-3 text-lg text-pretty text-muted">{summary}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </SiteFrame>
  );
}

function PostPage() {
  const { title, html } = useLoaderData<BlogPost>();
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

const format = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} className="text-sm text-subtle">
      {format.format(new Date(value))}
    </time>
  );
}
