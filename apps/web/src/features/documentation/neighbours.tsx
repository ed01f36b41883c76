import { ArrowLeft, ArrowRight } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { guideGroups, type GuideEntry } from './guides';

const inOrder = guideGroups.flatMap(({ entries }) => entries);

/** The guides before and after the one that is read. */
export function Neighbours() {
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
