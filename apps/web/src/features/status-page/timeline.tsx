import type { IncidentStatus } from '@/api/types';
import { cn } from '@/ui/cn';
import { incidentStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { Highlight, Omitted, Prose } from './page-parts';
import { TimeWithDistance } from './time';

interface Entry {
  id: string;
  status: IncidentStatus;
  message: string;
  displayAt: string;
}

interface TimelineProps {
  /** Title of the incident or maintenance. */
  label: string;
  entries: readonly Entry[];
  changes: Readonly<Record<string, number>>;
  /** Whether the marks are without colour, for a past item. */
  quiet: boolean;
  /** Whether it has older entries that are not shown. */
  truncated: boolean | undefined;
}

/** The updates of an incident or a maintenance, newest first. */
export function Timeline(props: TimelineProps) {
  return (
    <>
      <Entries {...props} />
      {props.truncated && <Omitted>Older updates are not shown.</Omitted>}
    </>
  );
}

function Entries({ label, entries, changes, quiet }: TimelineProps) {
  if (entries.length === 0) return null;
  return (
    <ol aria-label={`Timeline of ${label}`} className="grid grid-cols-1">
      {entries.map(({ id, status, message, displayAt }) => (
        <li
          key={id}
          className="group relative grid grid-cols-1 gap-1 rounded-md pb-4 pl-6 last:pb-0"
        >
          <Highlight changes={changes[id]} />
          <span
            aria-hidden
            className="absolute top-3 -bottom-1.5 left-[5px] w-px bg-line group-last:hidden"
          />
          <span
            aria-hidden
            className={cn(
              'absolute top-[5px] left-0 size-[11px] rounded-full border-2 border-surface',
              quiet ? 'bg-neutral-solid' : tones[incidentStatuses[status].tone].solid,
            )}
          />
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className={cn('font-semibold', quiet ? 'text-muted' : 'text-ink')}>
              {incidentStatuses[status].label}
            </span>
            <TimeWithDistance value={displayAt} />
          </p>
          <Prose text={message} className={quiet ? 'text-muted' : 'text-ink'} />
        </li>
      ))}
    </ol>
  );
}
