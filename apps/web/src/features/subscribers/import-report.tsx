import { formatNumber } from '@/ui/format';
import { ScrollRegion } from '@/ui/scroll-region';
import type { SubscriberImport } from '@/api/types';
import { Count } from './count';

/** What the import of a file has done, or would do, with the lines that are left out. */
export function ImportReport({ result }: { result: SubscriberImport }) {
  const { dryRun, rows, added, known, failed, errors } = result;
  return (
    <div className="grid min-w-0 gap-2 text-sm">
      <dl className="flex flex-wrap gap-x-5 gap-y-1">
        <Count label="Rows" value={rows} />
        <Count label={dryRun ? 'New' : 'Imported'} value={added} />
        <Count label="Known" value={known} />
        <Count label={dryRun ? 'With errors' : 'Left out'} value={failed} />
      </dl>
      {errors.length > 0 && (
        <ScrollRegion
          label={dryRun ? 'Lines with errors' : 'Lines that were left out'}
          className="max-h-48"
        >
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
