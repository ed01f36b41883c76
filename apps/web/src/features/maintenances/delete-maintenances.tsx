import { Trash2 } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { toast } from '@/ui/toast';
import type { Maintenance } from './maintenance';

interface DeleteMaintenancesProps {
  maintenances: Maintenance[];
  onDeleted: () => void;
}

/** Deletes what is selected, one call each: what fails stays in the list, and selected. */
export function DeleteMaintenances({ maintenances, onDeleted }: DeleteMaintenancesProps) {
  const api = useApi();
  const refreshList = useRefreshList(calls.maintenances.list);

  async function remove() {
    const results = await Promise.allSettled(
      maintenances.map(({ id }) => api.delete(calls.maintenances.item(id))),
    );
    await refreshList();
    if (results.some(({ status }) => status === 'rejected')) {
      toast.error('Failed to delete maintenance');
      return;
    }
    toast.success('Maintenance deleted successfully');
    onDeleted();
  }

  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" onClick={ask}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      title={`Delete ${maintenances.length === 1 ? 'this maintenance' : `${maintenances.length} maintenances`}?`}
      description="What is selected disappears with its whole timeline, also from the status page."
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
