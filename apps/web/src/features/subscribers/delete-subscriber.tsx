import { Trash2 } from 'lucide-react';
import type { Subscriber } from '@/api/types';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { useDeleteSubscribers } from './use-delete-subscribers';

export function DeleteSubscriber({ subscriber }: { subscriber: Subscriber }) {
  const remove = useDeleteSubscribers();
  return (
    <ConfirmButton
      button={(ask) => (
        <IconButton
          label={`Delete ${subscriber.email}`}
          icon={<Trash2 aria-hidden />}
          onClick={ask}
        />
      )}
      title="Delete this subscriber?"
      description={`No more updates will be mailed to ${subscriber.email}.`}
      confirmLabel="Delete"
      onConfirm={async () => {
        await remove([subscriber]);
      }}
    />
  );
}
