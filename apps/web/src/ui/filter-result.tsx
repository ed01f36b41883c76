import type { List } from '@/api/use-list';
import { formatCount } from './format';

interface FilterResultProps {
  list: Pick<List<unknown>, 'rows' | 'isStale' | 'hasOlder'>;
  isFiltered: boolean;
  noun: string;
  plural: string;
}

/**
 * Announces how many rows of a list a filter leaves. Always rendered, also while they are loaded.
 */
export function FilterResult({ list, isFiltered, noun, plural }: FilterResultProps) {
  return (
    <p aria-live="polite" className="sr-only">
      {isFiltered ? countText(list, noun, plural) : `All ${plural}`}
    </p>
  );
}

function countText(
  { rows, isStale, hasOlder }: FilterResultProps['list'],
  noun: string,
  plural: string,
): string | undefined {
  if (rows === undefined || isStale) return undefined;
  return formatCount(rows.length, noun, plural) + (hasOlder ? ', and older ones' : '');
}
