import { Timestamp } from '@/ui/timestamp';
import { relativeTime } from './relative-time';
import { useNow } from './use-now';

interface MomentProps {
  label?: string;
  value: string | null;
}

/** A time as the product writes it, and how far away it is. */
export function Moment({ label, value }: MomentProps) {
  const now = useNow();
  return (
    <span className="text-sm text-subtle">
      {label && <span className="text-muted">{label} </span>}
      <Timestamp value={value} />
      {value && (
        <span data-print="hidden">
          {' '}
          <span className="whitespace-nowrap">· {relativeTime(value, now)}</span>
        </span>
      )}
    </span>
  );
}
