import { useCallback, useMemo, useRef, useState, type ComponentProps } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog } from './dialog';
import { GuardContext, type FormState } from './dialog-guard';
import { secretLost, useUnsavedChanges } from './unsaved-changes';

/**
 * A dialog with forms or a secret. It asks before typed text or the secret is lost, and
 * stays open while text is being saved. Each form in it contains a `FormProgress`, each
 * secret calls `useSecretGuard`.
 */
export function GuardedDialog({
  children,
  onOpenChange,
  ...dialog
}: ComponentProps<typeof Dialog>) {
  const { open } = dialog;
  const [forms, report, latest] = useForms();
  const [asking, setAsking] = useState(false);
  const isDirty = forms.some(({ dirty }) => dirty);
  const isSubmitting = forms.some((form) => form.isSubmitting);
  const isSecret = forms.some((form) => form.dirty && form.isSecret);
  useUnsavedChanges(open && isDirty, isSubmitting, isSecret);

  const close = useCallback(() => {
    if (isSubmitting) return;
    if (isDirty) setAsking(true);
    else onOpenChange?.(false);
  }, [isSubmitting, isDirty, onOpenChange]);
  const finish = useCallback(() => {
    const rest = latest().filter((form) => !form.isSubmitting);
    if (!rest.some(({ dirty }) => dirty)) onOpenChange?.(false);
  }, [latest, onOpenChange]);
  const guard = useMemo(() => ({ close, finish, report }), [close, finish, report]);

  return (
    <Dialog
      {...dialog}
      {...(onOpenChange && {
        onOpenChange: (next: boolean) => (next ? onOpenChange(true) : close()),
      })}
    >
      <GuardContext value={guard}>{children}</GuardContext>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        {...(isSecret ? secretQuestion : textQuestion)}
        onConfirm={() => onOpenChange?.(false)}
      />
    </Dialog>
  );
}

const textQuestion = {
  title: 'Close without saving?',
  description: 'Your changes will be lost.',
  confirmLabel: 'Discard',
  cancelLabel: 'Keep Editing',
};

const secretQuestion = {
  title: 'Close without a copy?',
  description: secretLost,
  confirmLabel: 'Close',
  cancelLabel: 'Keep Open',
};

function useForms() {
  const reported = useRef<ReadonlyMap<string, FormState>>(new Map());
  const [forms, setForms] = useState<FormState[]>([]);
  // For callbacks that were made before the last report, like the rest of a submission.
  const latest = useCallback(() => [...reported.current.values()], []);
  const report = useCallback(
    (form: string, state: FormState | null) => {
      const after = new Map(reported.current);
      if (state === null) after.delete(form);
      else after.set(form, state);
      reported.current = after;
      setForms(latest());
    },
    [latest],
  );
  return [forms, report, latest] as const;
}
