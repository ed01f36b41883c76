import { useState, type ComponentProps } from 'react';
import { Input } from './input';
import { firstDay, fromLocalMinute, lastDay, toLocalMinute } from './local-minute';

interface DateTimeInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  /** UTC, RFC 3339; '' if it is missing. Text that is no time is given back as it is. */
  value: string;
  onChange: (value: string) => void;
}

/** An input in local time with a value in UTC. An untouched value stays as it is. */
export function DateTimeInput({ value, onChange, className, ...props }: DateTimeInputProps) {
  // The typed text stays: written back, a time that the clock skips would become another one, and
  // what is no time would be lost.
  const [typed, setTyped] = useState({ text: toLocalMinute(value), value });

  function type(text: string) {
    const next = fromLocalMinute(text, value);
    setTyped({ text, value: next });
    onChange(next);
  }

  return (
    <Input
      type="datetime-local"
      min={`${firstDay}T00:00`}
      max={`${lastDay}T23:59`}
      value={typed.value === value ? typed.text : toLocalMinute(value)}
      onChange={(event) => type(event.target.value)}
      className={`tabular-nums ${className ?? ''}`}
      {...props}
    />
  );
}
