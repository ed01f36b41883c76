import { useCallback, useMemo, useState, type ComponentProps } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog } from './dialog';
import { GuardContext, type Progress } from './dialog-guard';
import { secretLost, useUnsavedChanges } from './unsaved-changes';

/**
 * A dialog with forms or a secret. It asks before typed text or the secret is lost, and stays open while text is being
 * saved. Each form in it contains a `FormProgress`, each secret calls `useSecretGuard`.
 */
export function GuardedDialog({
  children,
  onOpenChange,
  ...dialog
}: ComponentProps<typeof Dialog>) {
  const { open } = dialog;
  const [forms, report] = useForms();
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
  const guard = useMemo(() => ({ close, report }), [close, report]);

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
  description: 'What you typed will be lost.',
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
  const [forms, setForms] = useState<ReadonlyMap<string, Progress>>(new Map());
  const report = useCallback((form: string, progress: Progress | null) => {
    setForms((before) => {
      const after = new Map(before);
      if (progress === null) after.delete(form);
      else after.set(form, progress);
      return after;
    });
  }, []);
  return [[...forms.values()], report] as const;
}
