import { useState, type RefObject } from 'react';
import { SecretNote } from '@/subscription/secret-note';
import { Button } from '@/ui/button';
import { DialogActions } from '@/ui/dialog';
import { GuardedDialog, useSecretGuard } from '@/ui/guarded-dialog';

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
      {secret !== undefined && <Secret secret={secret} />}
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </GuardedDialog>
  );
}

function Secret({ secret }: { secret: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useSecretGuard(isCopied);
  return <SecretNote secret={secret} onCopy={() => setIsCopied(true)} />;
}
