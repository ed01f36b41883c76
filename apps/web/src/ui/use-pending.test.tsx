import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Button } from './button';
import { usePending } from './use-pending';

it('runs an action once until it has ended', async () => {
  let finish: () => void = () => undefined;
  const action = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  function Save() {
    const [isPending, run] = usePending();
    return (
      <Button pending={isPending} onClick={() => run(action)}>
        Save
      </Button>
    );
  }
  render(<Save />);
  const button = screen.getByRole('button', { name: 'Save' });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(button).toBeDisabled();
  expect(action).toHaveBeenCalledTimes(1);
  finish();
  await waitFor(() => expect(button).toBeEnabled());
  fireEvent.click(button);
  expect(action).toHaveBeenCalledTimes(2);
});
