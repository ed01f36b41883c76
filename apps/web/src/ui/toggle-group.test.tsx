import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { ComponentStatus } from '@/api/types';
import { componentStatuses, statusOptions } from './statuses';
import { ToggleGroup } from './toggle-group';

function StatusChoice() {
  const [status, setStatus] = useState<ComponentStatus>('OPERATIONAL');
  return (
    <ToggleGroup
      label="Status"
      name="status"
      options={statusOptions(componentStatuses)}
      value={status}
      onChange={setStatus}
      error={status === 'MAJOR_OUTAGE' && 'Not today'}
    />
  );
}

it('offers every status as one radio group, each with its icon and colour, with the first one chosen', () => {
  render(<StatusChoice />);
  expect(screen.getByRole('radiogroup', { name: 'Status' })).toBeInTheDocument();
  expect(screen.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)).toEqual([
    'Operational',
    'Degraded Performance',
    'Partial Outage',
    'Major Outage',
  ]);
  const icons = screen
    .getAllByRole('radio')
    .map((radio) => radio.closest('label')?.querySelector('svg')?.getAttribute('class') ?? '');
  const tones = ['operational', 'degraded', 'partial', 'major'];
  expect(icons.map((classes) => /text-(\w+)/.exec(classes)?.[1])).toEqual(tones);
  expect(new Set(icons.map((classes) => /lucide-[\w-]+/.exec(classes)?.[0])).size).toBe(4);
  expect(screen.getByRole('radio', { name: 'Operational' })).toBeChecked();
});

it('chooses by pointer and by arrow keys, one at a time', async () => {
  render(<StatusChoice />);
  const partial = screen.getByRole('radio', { name: 'Partial Outage' });
  // Over its whole option, so that nothing lies above it.
  expect(partial).toHaveClass('absolute', 'inset-0');
  await userEvent.click(partial);
  expect(screen.getByRole('radio', { name: 'Partial Outage' })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'Operational' })).not.toBeChecked();
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.getByRole('radio', { name: 'Major Outage' })).toBeChecked();
});

it('shows what is wrong with the choice', async () => {
  render(<StatusChoice />);
  await userEvent.click(screen.getByText('Major Outage'));
  expect(screen.getByRole('radiogroup')).toHaveAccessibleDescription('Not today');
});
