import { Trash2 } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { toast } from '@/ui/toast';
import type { Incident } from './incident';

interface DeleteIncidentsProps {
  incidents: Incident[];
  onDeleted: () => void;
}

/** Deletes what is selected, one call each: what fails stays in the list, and selected. */
export function DeleteIncidents({ incidents, onDeleted }: DeleteIncidentsProps) {
  const api = useApi();
  const refreshList = useRefreshList(calls.incidents.list);

  async function remove() {
    const results = await Promise.allSettled(
      incidents.map(({ id }) => api.delete(calls.incidents.item(id))),
    );
    await refreshList();
    if (results.some(({ status }) => status === 'rejected')) {
      toast.error('Failed to delete incidents');
      return;
    }
    toast.success('Incident(s) deleted successfully');
    onDeleted();
  }

  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" onClick={ask}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      title={`Delete ${incidents.length === 1 ? 'this incident' : `${incidents.length} incidents`}?`}
      description="What is selected disappears with its whole timeline, also from the status page."
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
