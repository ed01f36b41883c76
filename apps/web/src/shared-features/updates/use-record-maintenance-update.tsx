import { useCallback, useState, type ReactNode, type RefObject } from 'react';
import type { Maintenance as StoredMaintenance } from '@/api/types';
import { useFreshQuery } from '@/api/use-fresh-query';
import { endpoints } from '@/paths';
import { useItemChanges } from '@/realtime/realtime';
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
  const { response, error, refresh } = useFreshQuery<StoredMaintenance>(
    endpoints.maintenances.item(id),
  );
  useItemChanges('maintenance-updated', id, () => void refresh());
  const isLoading = response === undefined;
  useLeaveOnError(isLoading && error !== undefined, 'Error loading maintenance', dialog.onClose);
  const { title, status } = response?.data ?? maintenance;
  return (
    <RecordUpdateDialog
      timeline={maintenanceTimeline({ id, notify: response?.data.notify })}
      about={title}
      status={maintenanceStatuses[status]}
      isDeleted={error?.status === 404}
      loading={isLoading}
      {...dialog}
    />
  );
}
