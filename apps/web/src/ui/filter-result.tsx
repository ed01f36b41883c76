import type { List } from '@/api/use-list';
import { formatCount } from './format';

/** Said of a list of which a filter only has the loaded rows. */
export const unsearched = 'Older ones are not searched.';

interface FilterResultProps {
  list: Pick<List<unknown>, 'rows' | 'isStale' | 'hasOlder'>;
  isFiltered: boolean;
  /** Whether older rows exist that the filter does not have. */
  hasUnsearched?: boolean;
  noun: string;
  plural: string;
}

/**
 * Announces how many rows of a list a filter leaves. Always rendered, also while they are loaded.
 */
export function FilterResult(result: FilterResultProps) {
  return (
    <p aria-live="polite" className="sr-only">
      {result.isFiltered ? countText(result) : `All ${result.plural}`}
    </p>
  );
}

function countText({
  list: { rows, isStale, hasOlder },
  hasUnsearched = false,
  noun,
  plural,
}: FilterResultProps): string | undefined {
  if (rows === undefined || isStale) return undefined;
  const count = formatCount(rows.length, noun, plural);
  if (hasUnsearched) return `${count}. ${unsearched}`;
  return hasOlder ? `${count}, and older ones` : count;
}
