import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Trash2 } from 'lucide-react';
import { expect, it, vi } from 'vitest';
import { Button } from './button';
import { IconButton } from './icon-button';

it('cannot be pressed a second time while it is pending', async () => {
  const onClick = vi.fn();
  render(
    <Button pending onClick={onClick}>
      Creating...
    </Button>,
  );
  const button = screen.getByRole('button', { name: 'Creating...' });
  expect(button).toBeDisabled();
  expect(button).toHaveAttribute('aria-busy', 'true');
  await userEvent.click(button);
  expect(onClick).not.toHaveBeenCalled();
});

it('has the focus again once it is no longer pending', async () => {
  const { rerender } = render(<Button>Save</Button>);
  const button = screen.getByRole('button', { name: 'Save' });
  await userEvent.click(button);
  rerender(<Button pending>Save</Button>);
  // As browsers do with a disabled button.
  button.blur();
  rerender(<Button>Save</Button>);
  expect(button).toHaveFocus();
});

it('leaves the focus where it has gone while it was pending', async () => {
  const page = (pending: boolean) => (
    <>
      <Button pending={pending}>Save</Button>
      <input aria-label="Name" />
    </>
  );
  const { rerender } = render(page(false));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  rerender(page(true));
  const name = screen.getByRole('textbox', { name: 'Name' });
  await userEvent.click(name);
  rerender(page(false));
  expect(name).toHaveFocus();
});

it('does not submit a form unless its type is submit', () => {
  render(<Button>Cancel</Button>);
  expect(screen.getByRole('button')).toHaveAttribute('type', 'button');
});

it('names an icon at once to the pointer and to the keyboard', async () => {
  render(<IconButton label="Delete Website" icon={<Trash2 />} />);
  const button = screen.getByRole('button', { name: 'Delete Website' });
  await userEvent.hover(button);
  expect(screen.getByRole('tooltip')).toHaveTextContent('Delete Website');
  await userEvent.unhover(button);
  await userEvent.tab();
  expect(screen.getByRole('tooltip')).toBeInTheDocument();
});

it('keeps the name of an icon while the pointer is on it', async () => {
  const user = userEvent.setup();
  render(<IconButton label="Delete Website" icon={<Trash2 />} />);
  await user.hover(screen.getByRole('button', { name: 'Delete Website' }));
  await user.hover(screen.getByRole('tooltip'));
  expect(screen.getByRole('tooltip')).toHaveTextContent('Delete Website');
});
