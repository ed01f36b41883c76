import type { ComponentProps } from 'react';
import { fromLocalMinute, toLocalMinute } from './datetime';
import { Input } from './input';

interface DateTimeInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  /** UTC, RFC 3339; '' for none. */
  value: string;
  onChange: (value: string) => void;
}

/** Shows and takes local time, holds UTC. A value that nobody touches is handed back as it came. */
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
