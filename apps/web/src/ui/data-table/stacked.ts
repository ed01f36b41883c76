/**
 * The layout of a table without room for its columns: each row is a block with its name first, its values with their
 * headers, and its actions at the end. Nothing has to be scrolled sideways. The header keeps what sorts and selects.
 * theme.css has the widths from which there is room.
 */
export const stacked = {
  table: 'stacked:block',
  head: 'stacked:block',
  headRow:
    'stacked:relative stacked:flex stacked:flex-wrap stacked:items-center stacked:gap-x-3 stacked:pr-3 stacked:pl-12',
  headCell:
    'stacked:flex stacked:items-center stacked:p-0! stacked:first:absolute stacked:first:left-4 stacked:first:w-auto',
  hiddenHeadCell: 'stacked:sr-only',
  body: 'stacked:block',
  row: 'stacked:relative stacked:flex stacked:flex-wrap stacked:items-center stacked:gap-x-3 stacked:gap-y-1 stacked:py-2 stacked:pr-3 stacked:pl-12',
  skeletonRow: 'stacked:grid stacked:h-24 stacked:content-center stacked:gap-3 stacked:pl-12',
  skeletonCell:
    'stacked:hidden stacked:h-auto stacked:p-0! stacked:nth-2:block stacked:nth-2:w-1/2 stacked:nth-3:block stacked:nth-3:w-1/3',
  emptyRow: 'stacked:grid',
  emptyCell: 'stacked:h-auto stacked:py-6',
  cell: [
    'stacked:block stacked:h-auto stacked:p-0!',
    // The checkbox is beside the whole row.
    'stacked:first:absolute stacked:first:top-3 stacked:first:left-4 stacked:first:w-auto',
    // The name takes a whole line.
    'stacked:nth-2:w-full',
    // The last value grows, so that the actions are at the end of its line.
    'stacked:data-label:not-has-[+[data-label]]:grow',
    // A badge needs no label.
    'stacked:data-label:nth-[n+3]:not-has-data-tone:before:mr-2 stacked:data-label:nth-[n+3]:not-has-data-tone:before:text-xs stacked:data-label:nth-[n+3]:not-has-data-tone:before:text-muted stacked:data-label:nth-[n+3]:not-has-data-tone:before:content-[attr(data-label)_":"]',
  ].join(' '),
};
