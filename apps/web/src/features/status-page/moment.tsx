import { Instant } from './instant';
import { relativeTime } from './relative-time';
import { useNow } from './use-now';
import { useTakeover } from './use-takeover';

interface MomentProps {
  label?: string;
  value: string | null;
}

/** A time as the product writes it and, where there is room beside it, how far away it is. */
export function Moment({ label, value }: MomentProps) {
  const now = useNow();
  const isTaken = useTakeover();
  return (
    <span className="moment text-sm text-subtle">
      <span className="whitespace-nowrap">
        {label && <span className="text-muted">{`${label} `}</span>}
        <Instant value={value} />
      </span>
      {value && (
        <span data-print="hidden" className="moment-distance">
          {isTaken ? ` · ${relativeTime(value, now)}` : ''}
        </span>
      )}
    </span>
  );
}
