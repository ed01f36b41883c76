import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { Cancellation } from './cancellation';

it('closes its question when the status changes meanwhile', async () => {
  const onSet = () => Promise.resolve();
  const { rerender } = render(<Cancellation status="SCHEDULED" notify onSet={onSet} />);
  await userEvent.click(screen.getByRole('button', { name: 'Cancel Maintenance' }));
  expect(screen.getByRole('alertdialog')).toBeVisible();
  rerender(<Cancellation status="CANCELLED" notify onSet={onSet} />);
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Undo Cancellation' })).toBeVisible();
});
