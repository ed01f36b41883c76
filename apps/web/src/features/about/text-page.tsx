import { useLoaderData } from 'react-router-dom';
import { Prose } from '@/site/prose';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';

export interface Text {
  title: string;
  html: string;
}

/** A page of words about the product. */
export function TextPage() {
  const { title, html } = useLoaderData<Text>();
  usePageTitle(title);
  return (
    <SiteFrame>
      <article className="mx-auto grid max-w-3xl grid-cols-1 gap-10 px-4 py-16 md:px-8 lg:py-24">
        <h1 className="text-4xl font-semibold tracking-tight text-balance text-ink max-sm:text-3xl">
          {title}
        </h1>
        <Prose html={html} />
      </article>
    </SiteFrame>
  );
}
