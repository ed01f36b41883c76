import { useState } from 'react';
import { CircleSlash, Undo2 } from 'lucide-react';
import type { MaintenanceStatus } from '@/api/types';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { ConfirmButton } from '@/ui/confirm-button';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { toast } from '@/ui/toast';

export interface StatusChange {
  status: MaintenanceStatus;
  /** Whether it notifies subscribers, as do the beginning and the end from now on. */
  notify: boolean;
}

interface CancellationProps {
  status: MaintenanceStatus;
  /** The last choice for the maintenance. */
  notify: boolean;
  /** Saves another status; throws `ApiError`. */
  onSet: (change: StatusChange) => Promise<void>;
}

/** Cancels a maintenance that is not over, or withdraws its cancellation. */
export function Cancellation({ status, notify: stored, onSet }: CancellationProps) {
  const [notify, setNotify] = useState(stored);
  if (status === 'COMPLETED') return null;

  async function set(next: MaintenanceStatus) {
    dismissFailureToast();
    try {
      await onSet({ status: next, notify });
      toast.success('Maintenance Updated');
    } catch (error) {
      showFailureToast('Error while updating maintenance', error);
    }
  }

  function notifyField(help: string) {
    return (
      <Checkbox
        label="Notify subscribers"
        description={help}
        checked={notify}
        onChange={({ target: { checked } }) => setNotify(checked)}
      />
    );
  }

  const open = (ask: () => void) => () => {
    setNotify(stored);
    ask();
  };
  if (status === 'CANCELLED') {
    return (
      <ConfirmButton
        // The other question must not take the place of an open one when the status changes.
        key="undo"
        button={(ask) => (
          <Button size="sm" onClick={open(ask)}>
            <Undo2 aria-hidden /> Undo Cancellation
          </Button>
        )}
        title="Schedule this maintenance again?"
        description="The status page shows it as before the cancellation."
        confirmLabel="Undo Cancellation"
        cancelLabel="Keep It Cancelled"
        variant="primary"
        onConfirm={() => set('SCHEDULED')}
      >
        {notifyField(
          'Sends a message to the subscribers now, and when the maintenance begins and ends.',
        )}
      </ConfirmButton>
    );
  }
  return (
    <ConfirmButton
      key="cancel"
      button={(ask) => (
        <Button size="sm" onClick={open(ask)}>
          <CircleSlash aria-hidden /> Cancel Maintenance
        </Button>
      )}
      title="Cancel this maintenance?"
      description="The status page shows it as cancelled. You can take it back."
      confirmLabel="Cancel Maintenance"
      cancelLabel="Keep It"
      onConfirm={() => set('CANCELLED')}
    >
      {notifyField('Sends a message to the subscribers now.')}
    </ConfirmButton>
  );
}
