import type { DeliveryCounts } from '@/api/types';
import { useDeliveryCounts } from '@/api/use-delivery-counts';
import { Card } from '@/ui/card';
import { formatNumber } from '@/ui/format';
import { LoadFailure } from '@/ui/load-failure';
import { Count } from './count';

/** Counts of the messages to subscribers; nothing without messages. */
export function DeliverySummary() {
  const { data: counts, error, refresh } = useDeliveryCounts();
  if (counts === undefined && error) {
    return (
      <LoadFailure
        title="The messages could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    );
  }
  if (counts === undefined || counts.waiting + counts.sent + counts.givenUp === 0) return null;
  return (
    <Card aria-labelledby="delivery-summary" className="grid gap-3 p-4 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <h2 id="delivery-summary" className="font-semibold text-ink">
          Messages of the last {counts.days} days
        </h2>
        <dl className="flex flex-wrap gap-x-6 gap-y-1">
          <Count label="Sent" value={counts.sent} />
          <Count label="Waiting" value={counts.waiting} />
          <Count label="Failed" value={counts.givenUp} alarming />
        </dl>
      </div>
      {counts.retrying.length > 0 && (
        // Open: it can still be repaired.
        <Reasons open title="Why messages wait" reasons={counts.retrying} />
      )}
      {counts.reasons.length > 0 && (
        <Reasons title="Why messages failed" reasons={counts.reasons} total={counts.givenUp} />
      )}
    </Card>
  );
}

interface ReasonsProps {
  title: string;
  reasons: DeliveryCounts['reasons'];
  /** Number of messages, of which `reasons` may name a part; absent if it is unknown. */
  total?: number;
  /** Whether they are shown at first. */
  open?: boolean;
}

function Reasons({ title, reasons, total = 0, open = false }: ReasonsProps) {
  const explained = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <details open={open}>
      <summary className="w-fit cursor-pointer rounded-sm text-muted hover:text-ink">
        {title}
      </summary>
      <ul className="mt-2 grid gap-1">
        {reasons.map(({ reason, count }) => (
          <li key={reason} className="flex gap-2">
            <span className="shrink-0 text-muted tabular-nums">{formatNumber(count)} ×</span>
            <span className="min-w-0 wrap-anywhere text-ink">{reason}</span>
          </li>
        ))}
        {explained < total && (
          <li className="text-muted">{formatNumber(total - explained)} × for other reasons</li>
        )}
      </ul>
    </details>
  );
}
