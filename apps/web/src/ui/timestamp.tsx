import { cn } from './cn';
import { formatInstant } from './datetime';

interface TimestampProps {
  value: string | null | undefined;
  /** Shown where there is no time. */
  fallback?: string;
  /** One of several in a row: takes two lines in windows that are neither a phone nor wide. */
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
      className={cn(
        'whitespace-nowrap',
        narrow &&
          'md:max-[90rem]:inline-block md:max-[90rem]:min-w-25 md:max-[90rem]:whitespace-normal',
        className,
      )}
    >
      {formatInstant(value)}
    </time>
  );
}
