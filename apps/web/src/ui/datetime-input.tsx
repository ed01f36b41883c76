import type { ComponentProps } from 'react';
import { fromLocalMinute, toLocalMinute } from './local-minute';
import { Input } from './input';

interface DateTimeInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  /** UTC, RFC 3339; '' if it is missing. */
  value: string;
  onChange: (value: string) => void;
}

/** An input in local time with a value in UTC. An untouched value stays as it is. */
export function DateTimeInput({ value, onChange, className, ...props }: DateTimeInputProps) {
  return (
    <Input
      type="datetime-local"
      value={toLocalMinute(value)}
      onChange={(event) => onChange(fromLocalMinute(event.target.value))}
      className={`tabular-nums ${className ?? ''}`}
      {...props}
    />
  );
}
