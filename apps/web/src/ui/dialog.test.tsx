import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { Button } from './button';
import { Card } from './card';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog } from './dialog';
import { Input } from './input';

function Subscribing() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New Subscriber</Button>
      <Dialog open={open} onOpenChange={setOpen} title="Add New Subscriber">
        <Input aria-label="Email" />
      </Dialog>
      <a href="/elsewhere">Elsewhere</a>
    </>
  );
}

it('is named by its title and keeps the focus inside', async () => {
  render(<Subscribing />);
  await userEvent.click(screen.getByRole('button', { name: 'New Subscriber' }));
  const dialog = screen.getByRole('dialog', { name: 'Add New Subscriber' });
  for (let press = 0; press < 5; press += 1) {
    await userEvent.tab();
    expect(dialog).toContainElement(document.activeElement as HTMLElement);
  }
});

it('gives the focus back to the button that opened it after Esc', async () => {
  render(<Subscribing />);
  const opener = screen.getByRole('button', { name: 'New Subscriber' });
  await userEvent.click(opener);
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await waitFor(() => expect(opener).toHaveFocus());
});

it('holds the page still without writing a style element', async () => {
  render(<Subscribing />);
  const styles = document.querySelectorAll('style').length;
  await userEvent.click(screen.getByRole('button', { name: 'New Subscriber' }));
  expect(document.documentElement).toHaveAttribute('data-scroll-locked');
  expect(document.querySelectorAll('style')).toHaveLength(styles);
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(document.documentElement).not.toHaveAttribute('data-scroll-locked'));
});

it('asks before it destroys, with the focus on the harmless choice', async () => {
  let finish: () => void = () => undefined;
  const onConfirm = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  const onOpenChange = vi.fn();
  render(
    <ConfirmDialog
      open
      onOpenChange={onOpenChange}
      title="Delete Website?"
      description="It disappears from the status page."
      confirmLabel="Delete"
      onConfirm={onConfirm}
    />,
  );
  expect(screen.getByRole('alertdialog', { name: 'Delete Website?' })).toHaveAccessibleDescription(
    'It disappears from the status page.',
  );
  expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus();
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(screen.getByRole('button', { name: 'Delete' })).toHaveAttribute('aria-busy', 'true');
  await userEvent.keyboard('{Escape}');
  expect(onOpenChange).not.toHaveBeenCalled();
  finish();
  await waitFor(() => expect(onOpenChange).toHaveBeenCalledWith(false));
  expect(onConfirm).toHaveBeenCalledTimes(1);
});

it('gives the focus to the card around its opener when the opener is gone', async () => {
  function Revoking() {
    const [open, setOpen] = useState(false);
    const [exists, setExists] = useState(true);
    return (
      <Card aria-label="Keys">
        {exists && <Button onClick={() => setOpen(true)}>Revoke</Button>}
        <ConfirmDialog
          open={open}
          onOpenChange={setOpen}
          title="Revoke the key?"
          description="It stops working."
          confirmLabel="Yes"
          onConfirm={() => setExists(false)}
        />
      </Card>
    );
  }
  render(<Revoking />);
  await userEvent.click(screen.getByRole('button', { name: 'Revoke' }));
  await userEvent.click(screen.getByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(screen.getByRole('region', { name: 'Keys' })).toHaveFocus());
});

it('gives the focus back also where the dialog has no trigger of its own', async () => {
  function Deleting() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <Button onClick={() => setOpen(true)}>Delete Website</Button>
        <ConfirmDialog
          open={open}
          onOpenChange={setOpen}
          title="Delete Website?"
          description="It disappears from the status page."
          confirmLabel="Delete"
          onConfirm={() => undefined}
        />
      </>
    );
  }
  render(<Deleting />);
  await userEvent.click(screen.getByRole('button', { name: 'Delete Website' }));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Delete Website' })).toHaveFocus());
});
