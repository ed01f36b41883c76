import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { DateTimeInput } from './datetime-input';
import { Timestamp } from './timestamp';

it('shows local time and hands back UTC', () => {
  const onChange = vi.fn();
  render(<DateTimeInput aria-label="Start" value="2026-07-15T09:30:00.000Z" onChange={onChange} />);
  const input = screen.getByLabelText('Start');
  expect(input).toHaveValue('2026-07-15T11:30');
  fireEvent.change(input, { target: { value: '2026-01-02T08:00' } });
  expect(onChange).toHaveBeenCalledWith('2026-01-02T07:00:00.000Z');
  fireEvent.change(input, { target: { value: '' } });
  expect(onChange).toHaveBeenLastCalledWith('');
});

it('marks a time up for machines, and writes --- where there is none', () => {
  const { rerender } = render(<Timestamp value="2026-11-21T13:07:16.000Z" />);
  expect(screen.getByText('Nov 21, 2026 02:07:16 PM')).toHaveAttribute(
    'datetime',
    '2026-11-21T13:07:16.000Z',
  );
  rerender(<Timestamp value={null} />);
  expect(screen.getByText('---')).toBeInTheDocument();
});
