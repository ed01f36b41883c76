import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FilterResult } from './filter-result';

it('says how many rows a filter leaves, once they are loaded', () => {
  const result = (rows: string[] | undefined, state: { isStale?: boolean; hasOlder?: boolean }) => (
    <FilterResult
      list={{ rows, isStale: false, hasOlder: false, ...state }}
      isFiltered={rows !== undefined}
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
  ] as const) {
    rerender(result([...rows], state));
    expect(region).toHaveTextContent(said || /^$/);
  }
});
