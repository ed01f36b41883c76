import type { IncidentStatus } from '@/api/types';
import { incidentStyles } from '@/ui/status-styles';
import { Highlight, Omitted, Prose } from './page-parts';
import { TimeWithDistance } from './time';

interface TimelineEntry {
  id: string;
  status: IncidentStatus;
  message: string;
  displayAt: string;
}

interface TimelineProps {
  /** Title of the incident or maintenance. */
  label: string;
  entries: readonly TimelineEntry[];
  changes: Readonly<Record<string, number>>;
  /** Whether the marks are without colour, for a past item. */
  quiet: boolean;
  /** Whether it has older entries that are not shown. */
  truncated: boolean | undefined;
}

/** The updates of an incident or a maintenance, newest first. */
export function Timeline({ label, entries, changes, quiet, truncated }: TimelineProps) {
  return (
    <>
      {entries.length > 0 && (
        <ol aria-label={`Timeline of ${label}`} className="timeline">
          {entries.map(({ id, status, message, displayAt }) => (
            <li key={id} data-tone={quiet ? undefined : incidentStyles[status].tone}>
              <Highlight changes={changes[id]} />
              <p>
                <span>{incidentStyles[status].label}</span>
                <TimeWithDistance value={displayAt} />
              </p>
              <Prose text={message} />
            </li>
          ))}
        </ol>
      )}
      {truncated && <Omitted>Older updates are not shown.</Omitted>}
    </>
  );
}
