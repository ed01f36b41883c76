import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button';
import { DialogActions } from './dialog';
import { overlay, panel } from './overlay';
import { useReturnFocus } from './return-focus';
import { usePending } from './use-pending';

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  /** A choice below the description. */
  children?: ReactNode;
  /** Whether the choice is being loaded. Nothing can be confirmed meanwhile. */
  loading?: boolean;
  /** The action as a verb: "Delete". */
  confirmLabel: string;
  /** The alternative, if "Cancel" would be unclear. */
  cancelLabel?: string;
  /** How the action looks; "primary" if it destroys nothing. */
  variant?: 'danger' | 'primary';
  /** Performs the action and shows its failure. The dialog waits for it and then closes. */
  onConfirm: () => Promise<void> | void;
  /** How far a long action is: "7 of 50"; '' before its first step. */
  progress?: string;
  /** Ends a long action early, after the step that it has begun. */
  onStop?: () => void;
}

/** Asks before an action, as a rule a destructive one. The focus starts on Cancel. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  loading = false,
  confirmLabel,
  cancelLabel = 'Cancel',
  variant = 'danger',
  onConfirm,
  progress,
  onStop,
}: ConfirmDialogProps) {
  const [pending, run] = usePending();
  const returnFocus = useReturnFocus();
  const isStoppable = pending && onStop !== undefined;

  async function confirm() {
    try {
      await onConfirm();
    } finally {
      onOpenChange(false);
    }
  }

  return (
    <Radix.Root open={open} onOpenChange={(next) => (pending ? onStop?.() : onOpenChange(next))}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content className={panel} {...returnFocus}>
          <div className="grid gap-1">
            <Radix.Title className="text-lg font-semibold text-ink">{title}</Radix.Title>
            <Radix.Description className="text-base text-muted">{description}</Radix.Description>
          </div>
          {children}
          {progress !== undefined && (
            <p role="status" className="text-base text-ink tabular-nums">
              {progress}
            </p>
          )}
          <DialogActions>
            <Radix.Cancel asChild>
              <Button disabled={pending && !isStoppable}>
                {isStoppable ? 'Stop' : cancelLabel}
              </Button>
            </Radix.Cancel>
            <Button
              variant={variant}
              disabled={loading}
              pending={pending}
              onClick={() => run(confirm)}
            >
              {confirmLabel}
            </Button>
          </DialogActions>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
