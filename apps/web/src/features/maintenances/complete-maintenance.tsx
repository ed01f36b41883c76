import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { Refusal } from '@/ui/refusal';
import { toast } from '@/ui/toast';
import type { Maintenance } from './maintenance';

/** Ends a maintenance now. */
export function CompleteMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const api = useApi();
  const refreshList = useRefreshList(calls.maintenances.list);
  const [pending, setPending] = useState(false);

  async function complete() {
    setPending(true);
    try {
      await api.patch(calls.maintenances.item(maintenance.id), {
        endAt: new Date().toISOString(),
      });
      toast.success('Maintenance completed successfully');
    } catch (error) {
      toast.error(<Refusal text="Failed to complete maintenance" error={error} />);
    }
    await refreshList();
    setPending(false);
  }

  return (
    <Button
      size="sm"
      aria-label={`Complete Maintenance: ${maintenance.title}`}
      disabled={maintenance.status === 'COMPLETED'}
      pending={pending}
      onClick={() => void complete()}
    >
      {!pending && <CircleCheck aria-hidden />} Complete Maintenance
    </Button>
  );
}
