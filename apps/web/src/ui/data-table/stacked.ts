import { cn } from '@/ui/cn';

/**
 * The layout of a table without room for its columns: each row is a block with its name first, its
 * values with their headers, and its actions at the end. Nothing has to be scrolled sideways. The
 * header keeps what sorts and selects. theme.css has the widths from which there is room.
 */
export const stacked = {
  table: 'stacked:block',
  head: 'stacked:block',
  headRow:
    'stacked:relative stacked:flex stacked:flex-wrap stacked:items-center stacked:gap-x-3 stacked:pr-3',
  headCell: 'stacked:flex stacked:items-center stacked:p-0!',
  hiddenHeadCell: 'stacked:sr-only',
  body: 'stacked:block',
  row: 'stacked:relative stacked:flex stacked:flex-wrap stacked:items-center stacked:gap-x-3 stacked:gap-y-1 stacked:py-2 stacked:pr-3',
  /** The checkbox is beside the whole row. */
  besideRow: 'stacked:absolute stacked:left-4 stacked:w-auto',
  /** Of a header whose buttons take two lines. */
  besideFirstLine: 'stacked:top-0',
  indent: { selectable: 'stacked:pl-12', readOnly: 'stacked:pl-4' },
  skeletonRow: 'stacked:grid stacked:h-24 stacked:content-center stacked:gap-3',
  emptyRow: 'stacked:grid',
  emptyCell: 'stacked:h-auto stacked:py-6',
};

export type ColumnKind = 'selection' | 'value' | 'action';

const name = 'stacked:w-full';

const value = [
  // The last value grows, so that the actions are at the end of its line.
  'stacked:not-has-[+[data-label]]:grow',
  // A badge needs no label.
  'stacked:data-label:not-has-data-tone:before:mr-2 stacked:data-label:not-has-data-tone:before:inline-block stacked:data-label:not-has-data-tone:before:whitespace-nowrap stacked:data-label:not-has-data-tone:before:text-xs stacked:data-label:not-has-data-tone:before:text-muted stacked:data-label:not-has-data-tone:before:content-[attr(data-label)_":"]',
].join(' ');

/**
 * Keeps the actions on one line: the first one reserves the room of the icon buttons after it,
 * which the second one takes back. By the number of buttons after the first one.
 */
const actions = [
  { first: '', second: '' },
  {
    first: 'stacked:mr-11 stacked:pointer-coarse:mr-13',
    second: 'stacked:-ml-11 stacked:pointer-coarse:-ml-13',
  },
  {
    first: 'stacked:mr-22 stacked:pointer-coarse:mr-26',
    second: 'stacked:-ml-22 stacked:pointer-coarse:-ml-26',
  },
];

/** The classes of a row's cells. The actions are the last columns. */
export function stackedCells(kinds: readonly ColumnKind[]): string[] {
  const nameAt = kinds.indexOf('value');
  const firstAction = kinds.indexOf('action');
  const room = actions[kinds.length - 1 - firstAction];
  return kinds.map((kind, at) =>
    cn(
      'stacked:block stacked:h-auto stacked:p-0!',
      kind === 'selection' && [stacked.besideRow, 'stacked:top-3'],
      kind === 'value' && (at === nameAt ? name : value),
      at === firstAction && ['stacked:ml-auto', room?.first],
      kind === 'action' && at === firstAction + 1 && room?.second,
      // A row without the button keeps its room.
      kind === 'action' && at > firstAction && 'stacked:min-w-8 stacked:pointer-coarse:min-w-10',
    ),
  );
}

/** The classes of a placeholder row's cells: a line for the name, and one for the rest. */
export function stackedSkeletonCells(kinds: readonly ColumnKind[]): string[] {
  const nameAt = kinds.indexOf('value');
  return kinds.map((_, at) =>
    cn(
      'stacked:h-auto stacked:p-0!',
      at === nameAt && 'stacked:block stacked:w-1/2',
      at === nameAt + 1 && 'stacked:block stacked:w-1/3',
      at !== nameAt && at !== nameAt + 1 && 'stacked:hidden',
    ),
  );
}
