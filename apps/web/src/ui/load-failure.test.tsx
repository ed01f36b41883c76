import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { LoadFailure } from './load-failure';

it('says that it tries again until the read ends, and keeps the focus', async () => {
  let finish: () => void = () => undefined;
  const retry = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  render(<LoadFailure title="Not loaded" reason="The server is busy" onRetry={retry} />);
  // Screen readers announce what changes inside.
  const alert = within(screen.getByRole('alert'));
  await userEvent.click(alert.getByRole('button', { name: 'Try Again' }));
  const button = alert.getByRole('button', { name: 'Trying again...' });
  expect(button).toBeDisabled();
  await userEvent.click(button);
  expect(retry).toHaveBeenCalledTimes(1);
  finish();
  await waitFor(() => expect(alert.getByRole('button', { name: 'Try Again' })).toHaveFocus());
});
