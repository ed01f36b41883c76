import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
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

/** Shows an input that keeps its value; its text is local time. */
function open(start: string) {
  const onChange = vi.fn();
  function Kept() {
    const [value, setValue] = useState(start);
    onChange(value);
    return (
      <>
        <DateTimeInput aria-label="Start" value={value} onChange={setValue} />
        <button onClick={() => setValue(start)}>Reset</button>
      </>
    );
  }
  render(<Kept />);
  const input = screen.getByLabelText('Start');
  return {
    input,
    onChange,
    type: (value: string) => fireEvent.change(input, { target: { value } }),
  };
}

it('keeps the hour while the day passes one on which the clock skips it', () => {
  const { input, onChange, type } = open('2026-03-28T01:30:00.000Z');
  type('2026-03-29T02:30');
  expect(input).toHaveValue('2026-03-29T02:30');
  type('2026-03-30T02:30');
  expect(onChange).toHaveBeenLastCalledWith('2026-03-30T00:30:00.000Z');
});

it('keeps a text that is no time, which is no missing value, until the value changes', () => {
  const { input, onChange, type } = open('2026-07-15T09:30:00.000Z');
  expect(input).toHaveAttribute('max', '9998-12-31T23:59');
  type('20261-07-15T11:30');
  expect(input).toHaveValue('20261-07-15T11:30');
  expect(onChange).toHaveBeenLastCalledWith('20261-07-15T11:30');
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(input).toHaveValue('2026-07-15T11:30');
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
