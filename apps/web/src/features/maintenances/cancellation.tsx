import { CircleSlash, Undo2 } from 'lucide-react';
import type { MaintenanceStatus } from '@/api/types';
import { useNotify } from '@/items/notify-field';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { FailureMessage } from '@/ui/failure-message';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';

export interface StatusChange {
  status: MaintenanceStatus;
  /** Whether it notifies subscribers; absent for the organisation's default. */
  notify?: boolean;
}

interface CancellationProps {
  status: MaintenanceStatus;
  /** Saves another status; throws `ApiError`. */
  onSet: (change: StatusChange) => Promise<void>;
}

/** Cancels a maintenance that is not over, or withdraws its cancellation. */
export function Cancellation({ status, onSet }: CancellationProps) {
  const [pending, run] = usePending();
  const byDefault = useNotify();
  const notify = byDefault.of({});

  async function set(change: StatusChange) {
    try {
      await onSet(change);
      toast.success('Maintenance Updated');
    } catch (error) {
      toast.error(<FailureMessage text="Error while updating maintenance" error={error} />);
    }
  }

  if (status === 'COMPLETED') return null;
  if (status === 'CANCELLED') {
    return (
      <Button size="sm" pending={pending} onClick={() => run(() => set({ status: 'SCHEDULED' }))}>
        {!pending && <Undo2 aria-hidden />} Undo Cancellation
      </Button>
    );
  }
  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" disabled={byDefault.isLoading} onClick={ask}>
          <CircleSlash aria-hidden /> Cancel Maintenance
        </Button>
      )}
      title="Cancel this maintenance?"
      description={
        notify
          ? 'The status page shows it as cancelled, and subscribers are notified. You can take it back.'
          : 'The status page shows it as cancelled. Subscribers are not notified. You can take it back.'
      }
      confirmLabel="Cancel Maintenance"
      cancelLabel="Keep It"
      onConfirm={() => set({ status: 'CANCELLED', notify })}
    />
  );
}
