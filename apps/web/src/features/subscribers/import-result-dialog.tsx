import type { RefObject } from 'react';
import type { SubscriberImport } from '@/api/types';
import { DoneButton } from '@/ui/done-button';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { ImportReport } from './import-report';

interface ImportResultDialogProps {
  /** Undefined while there is none to show. */
  result: SubscriberImport | undefined;
  onClose: () => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Says what an import has left out, and why. */
export function ImportResultDialog({ result, onClose, returnTo }: ImportResultDialogProps) {
  return (
    <GuardedDialog
      open={result !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title="Import Result"
      returnTo={returnTo}
    >
      {result && <ImportReport result={result} />}
      <DoneButton />
    </GuardedDialog>
  );
}
