import { Trash2 } from 'lucide-react';
import type { Component } from '@/api/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { useDeleteComponents } from './use-delete-components';

interface DeleteComponentsProps {
  components: Component[];
  onDeleted: () => void;
}

/** Deletes what is selected; what fails stays in the list, and selected. */
export function DeleteComponents({ components, onDeleted }: DeleteComponentsProps) {
  const remove = useDeleteComponents();
  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" onClick={ask}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      title={
        components.length === 1
          ? 'Delete this component?'
          : `Delete ${components.length} components?`
      }
      description="What is selected will be gone for good, also from the status page."
      confirmLabel="Delete"
      onConfirm={async () => {
        if (await remove(components)) onDeleted();
      }}
    />
  );
}
