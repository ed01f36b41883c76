import { MessageSquarePlus } from 'lucide-react';
import type { Dashboard } from '@/api/types';
import { Permitted } from '@/auth/permitted';
import { paths } from '@/paths';
import {
  CompleteMaintenance,
  CompletionQuestion,
} from '@/shared-features/completion/complete-maintenance';
import { useRecordMaintenanceUpdate } from '@/shared-features/updates/use-record-maintenance-update';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { formatDuration } from '@/ui/duration';
import { maintenanceStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { ItemLink, EmptySection, Section, listClass, rowClass } from './section';

interface PlannedMaintenancesProps {
  maintenances: Dashboard['maintenances'];
  now: number;
  /** Called after an update was recorded or a maintenance completed. */
  onChange: () => Promise<unknown>;
}

/** The maintenances in progress and of the next seven days. */
export function PlannedMaintenances({ maintenances, now, onChange }: PlannedMaintenancesProps) {
  const { record, dialog } = useRecordMaintenanceUpdate(onChange);
  return (
    <CompletionQuestion onCompleted={onChange}>
      <Section
        title="Maintenance, next seven days"
        count={maintenances.length}
        viewAll={paths.schedules.list}
      >
        {maintenances.length === 0 ? (
          <EmptySection to={paths.schedules.create} action="Schedule a maintenance">
            Nothing is planned.
          </EmptySection>
        ) : (
          <ul className={listClass}>
            {maintenances.map((maintenance) => (
              <li key={maintenance.id} className={rowClass}>
                <div className="grid min-w-0 flex-1 basis-56 gap-1">
                  <ItemLink to={paths.schedules.edit(maintenance.id)}>{maintenance.title}</ItemLink>
                  <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
                    <StatusBadge {...maintenanceStatuses[maintenance.status]} />
                    <Timestamp value={maintenance.startAt} />
                    <span className="tabular-nums">{when(maintenance, now)}</span>
                  </span>
                </div>
                <Permitted>
                  {maintenance.status === 'IN_PROGRESS' && (
                    <CompleteMaintenance maintenance={maintenance} />
                  )}
                  <Button
                    size="sm"
                    aria-label={`Record Update: ${maintenance.title}`}
                    onClick={() => record(maintenance)}
                  >
                    <MessageSquarePlus aria-hidden /> Record Update
                  </Button>
                </Permitted>
              </li>
            ))}
          </ul>
        )}
        {dialog}
      </Section>
    </CompletionQuestion>
  );
}

function when(
  { status, startAt, endAt }: PlannedMaintenancesProps['maintenances'][number],
  now: number,
): string {
  const until = (time: string) => formatDuration((Date.parse(time) - now) / 1000);
  if (status !== 'IN_PROGRESS') return `starts in ${until(startAt)}`;
  return endAt === null ? 'no end known' : `ends in ${until(endAt)}`;
}
