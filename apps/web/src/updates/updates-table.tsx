import { Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { DataTable } from '@/ui/data-table/data-table';
import type { Update } from './timeline';
import { updateColumns, updateLabel } from './update-columns';

interface UpdatesTableProps {
  /** Undefined while they load. */
  updates: Update[] | undefined;
  onEdit: (update: Update) => void;
  /** Deletes all of them or none; tells about failure by itself. */
  onDelete: (updates: Update[]) => Promise<void>;
}

export function UpdatesTable({ updates, onEdit, onDelete }: UpdatesTableProps) {
  const [doomed, setDoomed] = useState<Update[]>([]);
  const columns = useMemo(
    () => updateColumns({ onEdit, onDelete: (update) => setDoomed([update]) }),
    [onEdit],
  );
  const one = doomed.length === 1;

  return (
    <>
      <DataTable
        wide
        label="Updates"
        columns={columns}
        rows={updates}
        getRowId={(update) => update.id}
        rowLabel={updateLabel}
        emptyHint="Updates show on the status page as a timeline."
        bulkActions={(selected) => (
          <Button size="sm" onClick={() => setDoomed(selected)}>
            <Trash2 aria-hidden /> Delete
          </Button>
        )}
      />
      <ConfirmDialog
        open={doomed.length > 0}
        onOpenChange={(open) => !open && setDoomed([])}
        title={one ? 'Delete this update?' : `Delete ${doomed.length} updates?`}
        description={`${one ? 'It disappears' : 'They disappear'} from the timeline and the status page.`}
        confirmLabel="Delete"
        onConfirm={() => onDelete(doomed)}
      />
    </>
  );
}
