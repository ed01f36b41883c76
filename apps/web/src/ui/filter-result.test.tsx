import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FilterResult } from './filter-result';

it('says how many rows a filter leaves, once they are loaded', () => {
  interface State {
    isStale?: boolean;
    hasOlder?: boolean;
    hasUnsearched?: boolean;
  }
  const result = (rows: string[] | undefined, { hasUnsearched = false, ...state }: State) => (
    <FilterResult
      list={{ rows, isStale: false, hasOlder: false, ...state }}
      isFiltered={rows !== undefined}
      hasUnsearched={hasUnsearched}
      noun="subscriber"
      plural="subscribers"
    />
  );
  const { rerender } = render(result(undefined, {}));
  const region = screen.getByText('All subscribers');
  expect(region).toHaveAttribute('aria-live', 'polite');
  for (const [rows, state, said] of [
    [['ada', 'eve'], { isStale: true }, ''],
    [['ada'], {}, '1 subscriber'],
    [[], {}, '0 subscribers'],
    [['ada', 'eve'], { hasOlder: true }, '2 subscribers, and older ones'],
    [
      ['ada'],
      { hasOlder: true, hasUnsearched: true },
      '1 subscriber. Older ones are not searched.',
    ],
  ] as const) {
    rerender(result([...rows], state));
    expect(region).toHaveTextContent(said || /^$/);
  }
});
