import { ArrowLeft, ArrowRight } from 'lucide-react';
import { Link, useLoaderData, useLocation } from 'react-router-dom';
import { paths } from '@/paths';
import { Prose } from '@/site/prose';
import { cn } from '@/ui/cn';
import { usePageTitle } from '@/ui/use-page-title';
import { Contents } from './contents';
import { type Guide, type GuideEntry, guideGroups } from './guides';

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

const inOrder = guideGroups.flatMap(({ entries }) => entries);

/** Links to the previous and the next guide. */
function Neighbours() {
  const { pathname } = useLocation();
  const at = inOrder.findIndex(({ slug }) => paths.guide(slug) === pathname.replace(/\/$/, ''));
  if (at < 0) return null;
  return (
    <nav aria-label="Neighbouring guides" className="mt-6 grid gap-3 sm:grid-cols-2">
      <Neighbour entry={inOrder[at - 1]} way="Previous" />
      <Neighbour entry={inOrder[at + 1]} way="Next" />
    </nav>
  );
}

function Neighbour({ entry, way }: { entry: GuideEntry | undefined; way: 'Previous' | 'Next' }) {
  if (entry === undefined) return null;
  const isNext = way === 'Next';
  const Arrow = isNext ? ArrowRight : ArrowLeft;
  return (
    <Link
      to={paths.guide(entry.slug)}
      className={cn(
        'grid gap-0.5 rounded-lg border border-line px-4 py-3 transition-colors hover:border-line-strong hover:bg-surface',
        isNext && 'justify-items-end text-right sm:col-start-2',
      )}
    >
      <span
        className={cn(
          'flex items-center gap-1.5 text-sm text-subtle',
          isNext && 'flex-row-reverse',
        )}
      >
        <Arrow aria-hidden className="size-3.5" />
        {way}
      </span>
      <span className="font-medium text-ink">{entry.title}</span>
    </Link>
  );
}
