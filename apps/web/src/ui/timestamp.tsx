import { cn } from './cn';
import { formatInstant } from './datetime';

interface TimestampProps {
  value: string | null | undefined;
  /** Shown instead of a missing time. */
  fallback?: string;
  /** Wraps to two lines in a table column. */
  narrow?: boolean;
  className?: string;
}

export function Timestamp({ value, fallback = '---', narrow, className }: TimestampProps) {
  if (!value || Number.isNaN(Date.parse(value)))
    return <span className={className}>{fallback}</span>;
  return (
    <time
      dateTime={value}
      title={value}
      className={cn(narrow ? 'stacked:whitespace-nowrap' : 'whitespace-nowrap', className)}
    >
      {formatInstant(value)}
    </time>
  );
}
