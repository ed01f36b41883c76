import { type RouteObject, useLoaderData } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { Prose } from '@/site/prose';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';

const texts = import.meta.glob<Text>('@content/*.md', { import: 'default' });

/** Each Markdown file in `content` is a page under its name: `about.md` at `/about`. */
export const aboutRoutes: RouteObject[] = Object.entries(texts).map(([file, load]) => ({
  path: file.replace(/^.*\/(.*)\.md$/, '/$1'),
  loader: () => loadCode(load),
  Component: TextPage,
}));

interface Text {
  title: string;
  html: string;
}

/** A page of text about the product. */
function TextPage() {
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
