/**
 * A table that has less than 36rem is no table to look at: each row stands by itself, its name first, its values with
 * their headers before them, its actions at the end, and nothing has to be scrolled sideways. The header keeps what
 * sorts and selects.
 */
export const stacked = {
  table: '@max-xl:block',
  head: '@max-xl:block',
  headRow:
    '@max-xl:relative @max-xl:flex @max-xl:flex-wrap @max-xl:items-center @max-xl:gap-x-3 @max-xl:pr-3 @max-xl:pl-12',
  headCell:
    '@max-xl:flex @max-xl:items-center @max-xl:p-0! @max-xl:first:absolute @max-xl:first:left-4 @max-xl:first:w-auto',
  hiddenHeadCell: '@max-xl:sr-only',
  body: '@max-xl:block',
  row: '@max-xl:relative @max-xl:flex @max-xl:flex-wrap @max-xl:items-center @max-xl:gap-x-2 @max-xl:gap-y-1 @max-xl:py-2 @max-xl:pr-3 @max-xl:pl-12',
  waitingRow: '@max-xl:grid @max-xl:h-24 @max-xl:items-center',
  emptyRow: '@max-xl:grid',
  emptyCell: '@max-xl:h-auto @max-xl:py-6',
  cell: [
    '@max-xl:block @max-xl:h-auto @max-xl:p-0!',
    // The checkbox stands beside all of it.
    '@max-xl:first:absolute @max-xl:first:top-3 @max-xl:first:left-4 @max-xl:first:w-auto',
    // The name has a line of its own.
    '@max-xl:nth-2:w-full',
    // The last value leaves the end of its line to the actions.
    '@max-xl:data-label:not-has-[+[data-label]]:grow',
    // A badge says by itself what it is.
    '@max-xl:data-label:nth-[n+3]:not-has-data-tone:before:mr-2 @max-xl:data-label:nth-[n+3]:not-has-data-tone:before:text-xs @max-xl:data-label:nth-[n+3]:not-has-data-tone:before:text-muted @max-xl:data-label:nth-[n+3]:not-has-data-tone:before:content-[attr(data-label)_":"]',
  ].join(' '),
};
