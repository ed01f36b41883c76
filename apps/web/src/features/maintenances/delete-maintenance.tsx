import { Trash2 } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { toast } from '@/ui/toast';
import type { Maintenance } from './maintenance';

export function DeleteMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const api = useApi();
  const refreshList = useRefreshList(calls.maintenances.list);

  async function remove() {
    try {
      await api.delete(calls.maintenances.item(maintenance.id));
      toast.success('Maintenance deleted successfully');
    } catch {
      toast.error('Failed to delete maintenance');
    }
    await refreshList();
  }

  return (
    <ConfirmButton
      button={(ask) => (
        <IconButton
          label={`Delete ${maintenance.title}`}
          icon={<Trash2 aria-hidden />}
          onClick={ask}
        />
      )}
      title="Delete this maintenance?"
      description={`“${maintenance.title}” disappears with its whole timeline, also from the status page.`}
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
