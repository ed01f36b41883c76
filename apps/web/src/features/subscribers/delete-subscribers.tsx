import { Trash2 } from 'lucide-react';
import type { Subscriber } from '@/api/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { useDeleteSubscribers } from './use-delete-subscribers';

interface DeleteSubscribersProps {
  subscribers: Subscriber[];
  onDeleted: () => void;
}

/** Deletes what is selected; what fails stays in the list, and selected. */
export function DeleteSubscribers({ subscribers, onDeleted }: DeleteSubscribersProps) {
  const remove = useDeleteSubscribers();
  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" onClick={ask}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      title={
        subscribers.length === 1
          ? 'Delete this subscriber?'
          : `Delete ${subscribers.length} subscribers?`
      }
      description="No more updates will be mailed to the selected addresses."
      confirmLabel="Delete"
      onConfirm={async () => {
        if (await remove(subscribers)) onDeleted();
      }}
    />
  );
}
