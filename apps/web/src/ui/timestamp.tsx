import { cn } from './cn';
import { formatInstant } from './datetime';

interface TimestampProps {
  value: string | null | undefined;
  /** Shown where there is no time. */
  fallback?: string;
  className?: string;
}

export function Timestamp({ value, fallback = '---', className }: TimestampProps) {
  if (!value || Number.isNaN(Date.parse(value)))
    return <span className={className}>{fallback}</span>;
  return (
    <time dateTime={value} title={value} className={cn('whitespace-nowrap', className)}>
      {formatInstant(value)}
    </time>
  );
}
