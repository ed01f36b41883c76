import type { RefObject } from 'react';
import { SecretNote } from '@/shared-features/subscription/secret-note';
import { DoneButton } from '@/ui/done-button';
import { GuardedDialog } from '@/ui/guarded-dialog';

interface SecretDialogProps {
  /** Undefined while there is none to show. */
  secret: string | undefined;
  onClose: () => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Shows the secret of a webhook once. */
export function SecretDialog({ secret, onClose, returnTo }: SecretDialogProps) {
  return (
    <GuardedDialog
      open={secret !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title="Secret of the Webhook"
      returnTo={returnTo}
    >
      {secret !== undefined && <SecretNote secret={secret} />}
      <DoneButton />
    </GuardedDialog>
  );
}
