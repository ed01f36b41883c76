import { Trash2 } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { toast } from '@/ui/toast';
import type { Incident } from './incident';

export function DeleteIncident({ incident }: { incident: Incident }) {
  const api = useApi();
  const refreshList = useRefreshList(calls.incidents.list);

  async function remove() {
    try {
      await api.delete(calls.incidents.item(incident.id));
      toast.success('Incident Deleted');
    } catch {
      toast.error('error');
    }
    await refreshList();
  }

  return (
    <ConfirmButton
      button={(ask) => (
        <IconButton
          label={`Delete ${incident.title}`}
          icon={<Trash2 aria-hidden />}
          onClick={ask}
        />
      )}
      title="Delete this incident?"
      description={`“${incident.title}” disappears with its whole timeline, also from the status page.`}
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
