import { useLoaderData } from 'react-router-dom';
import { Prose } from '@/site/prose';
import { usePageTitle } from '@/ui/use-page-title';
import { Contents } from './contents';
import type { Guide } from './guides';
import { Neighbours } from './neighbours';

export function GuidePage() {
  const { title, html, sections } = useLoaderData<Guide>();
  usePageTitle(title);
  return (
    <div className="grid grid-cols-1 gap-12 xl:grid-cols-[minmax(0,46rem)_13rem] xl:justify-between">
      <article className="grid min-w-0 grid-cols-1 content-start gap-8">
        <h1 className="text-3xl font-semibold tracking-tight text-balance text-ink">{title}</h1>
        <Prose html={html} />
        <Neighbours />
      </article>
      <Contents sections={sections} />
    </div>
  );
}
