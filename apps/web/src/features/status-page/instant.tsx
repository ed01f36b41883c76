import { formatInstant, formatUtc } from '@/ui/datetime';
import { useTakeover } from './use-takeover';

/** A time in the reader's zone; in UTC as long as nobody knows it. */
export function Instant({ value }: { value: string | null }) {
  const isTaken = useTakeover();
  if (value === null) return <span>---</span>;
  return (
    <time dateTime={value} title={value} className="whitespace-nowrap">
      {isTaken ? formatInstant(value) : formatUtc(value)}
    </time>
  );
}
