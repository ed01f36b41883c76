import { useCallback, useState, type ReactNode, type RefObject } from 'react';
import type { Maintenance as StoredMaintenance } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { maintenanceStatuses } from '@/ui/statuses';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { maintenanceTimeline } from './maintenance-timeline';
import { RecordUpdateDialog } from './record-update-dialog';

type Maintenance = Pick<StoredMaintenance, 'id' | 'title' | 'status'>;

interface Chosen {
  maintenance: Maintenance;
  returnTo: RefObject<HTMLElement | null> | undefined;
}

interface RecordMaintenanceUpdate {
  /**
   * Opens the dialog; always the same function. `returnTo` takes the focus afterwards, if the
   * opener is gone by then, like an item of a menu.
   */
  record: (maintenance: Maintenance, returnTo?: RefObject<HTMLElement | null>) => void;
  /**
   * The dialog, which the caller renders outside of the rows: a row may move or go while text
   * is typed.
   */
  dialog: ReactNode;
}

/** Records updates of the maintenances of a list. */
export function useRecordMaintenanceUpdate(
  onRecorded: () => Promise<unknown>,
): RecordMaintenanceUpdate {
  const [chosen, setChosen] = useState<Chosen>();
  const record = useCallback<RecordMaintenanceUpdate['record']>(
    (maintenance, returnTo) => setChosen({ maintenance, returnTo }),
    [],
  );
  return {
    record,
    dialog: chosen && (
      <RecordDialog
        key={chosen.maintenance.id}
        {...chosen}
        onClose={() => setChosen(undefined)}
        onRecorded={onRecorded}
      />
    ),
  };
}

interface RecordDialogProps extends Chosen {
  onClose: () => void;
  onRecorded: () => Promise<unknown>;
}

function RecordDialog({ maintenance, ...dialog }: RecordDialogProps) {
  const { id } = maintenance;
  // The rows may lack the last choice for the maintenance.
  const { data, error } = useQuery<StoredMaintenance>(endpoints.maintenances.item(id));
  useLeaveOnError(
    data === undefined && error !== undefined,
    'Error loading maintenance',
    dialog.onClose,
  );
  const { title, status } = data ?? maintenance;
  return (
    <RecordUpdateDialog
      timeline={maintenanceTimeline({ id, notify: data?.notify })}
      about={title}
      status={maintenanceStatuses[status]}
      loading={data === undefined}
      {...dialog}
    />
  );
}
