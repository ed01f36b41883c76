import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { CopyButton } from './copy-button';

afterEach(() => vi.useRealTimers());

it('says for two seconds after each press that it has copied', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(<CopyButton label="Address" value="https://example.com" onForbidden={() => undefined} />);
  for (const press of [1, 2]) {
    await user.click(screen.getByRole('button', { name: 'Copy: Address' }));
    expect(await screen.findByRole('button', { name: 'Copied: Address' })).toBeVisible();
    expect(screen.getByRole('status'), `press ${press}`).toHaveTextContent('Copied');
    await act(() => vi.advanceTimersByTimeAsync(2000));
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
  }
});
