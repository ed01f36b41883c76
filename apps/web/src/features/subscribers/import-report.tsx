import { formatNumber } from '@/ui/format';
import { ScrollRegion } from '@/ui/scroll-region';
import type { SubscriberImport } from '@/api/types';
import { Count } from './count';

/** What the import of a file would do, with the lines that cannot be imported. */
export function ImportReport({ result }: { result: SubscriberImport }) {
  const { rows, added, known, failed, errors } = result;
  return (
    <div className="grid min-w-0 gap-2">
      <dl className="flex flex-wrap gap-x-5 gap-y-1">
        <Count label="Rows" value={rows} />
        <Count label="New" value={added} />
        <Count label="Known" value={known} />
        <Count label="With errors" value={failed} />
      </dl>
      {errors.length > 0 && (
        <ScrollRegion label="Lines with errors" className="max-h-48">
          <ul className="grid gap-1">
            {errors.map(({ line, message }) => (
              <li key={line} className="flex gap-2">
                <span className="shrink-0 text-muted tabular-nums">Line {line}</span>
                <span className="min-w-0 wrap-anywhere text-ink">{message}</span>
              </li>
            ))}
            {failed > errors.length && (
              <li className="text-muted">And {formatNumber(failed - errors.length)} more</li>
            )}
          </ul>
        </ScrollRegion>
      )}
    </div>
  );
}
