import { Trash2 } from 'lucide-react';
import type { Component } from '@/api/types';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { useDeleteComponents } from './use-delete-components';

export function DeleteComponent({ component }: { component: Component }) {
  const remove = useDeleteComponents();
  return (
    <ConfirmButton
      button={(ask) => (
        <IconButton
          label={`Delete ${component.name}`}
          icon={<Trash2 aria-hidden />}
          onClick={ask}
        />
      )}
      title="Delete this component?"
      description={`“${component.name}” will be gone for good, also from the status page.`}
      confirmLabel="Delete"
      onConfirm={async () => {
        await remove([component]);
      }}
    />
  );
}
