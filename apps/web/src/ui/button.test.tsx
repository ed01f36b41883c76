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
