import { useFormikContext } from 'formik';
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useState,
  type ComponentProps,
} from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog } from './dialog';
import { secretLost, useUnsavedChanges } from './unsaved-changes';

interface Progress {
  dirty: boolean;
  isSubmitting: boolean;
  /** Whether it is a secret, in place of a form. */
  isSecret?: boolean;
}

interface Guard {
  /** Closes the dialog; asks before if text was typed, or a secret would be lost. */
  close: () => void;
  report: (form: string, progress: Progress | null) => void;
}

const GuardContext = createContext<Guard | null>(null);

type DialogProps = ComponentProps<typeof Dialog>;
type GuardedDialogProps = DialogProps & Required<Pick<DialogProps, 'onOpenChange'>>;

/**
 * A dialog with forms or a secret. It asks before typed text or the secret is lost, and stays open while text is being
 * saved. Each form in it contains a `FormProgress`, each secret calls `useSecretGuard`.
 */
export function GuardedDialog({ children, onOpenChange, ...dialog }: GuardedDialogProps) {
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
    else onOpenChange(false);
  }, [isSubmitting, isDirty, onOpenChange]);
  const guard = useMemo(() => ({ close, report }), [close, report]);

  return (
    <Dialog {...dialog} onOpenChange={(next) => (next ? onOpenChange(true) : close())}>
      <GuardContext value={guard}>{children}</GuardContext>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        {...(isSecret ? secretQuestion : textQuestion)}
        onConfirm={() => onOpenChange(false)}
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

/** Reports the state of the form to the dialog around it, if there is one. */
export function FormProgress() {
  const { dirty, isSubmitting } = useFormikContext();
  const id = useId();
  const report = use(GuardContext)?.report;
  useEffect(() => {
    report?.(id, { dirty, isSubmitting });
    return () => report?.(id, null);
  }, [report, id, dirty, isSubmitting]);
  return null;
}

/** Lets the surrounding dialog, if there is one, ask before it closes on a secret that is shown only once. */
export function useSecretGuard(isKept: boolean): void {
  const id = useId();
  const report = use(GuardContext)?.report;
  useEffect(() => {
    report?.(id, { dirty: !isKept, isSubmitting: false, isSecret: true });
    return () => report?.(id, null);
  }, [report, id, isKept]);
}

/** Returns the function that closes the surrounding dialog. */
export function useCloseDialog(): () => void {
  const guard = use(GuardContext);
  if (guard === null) throw new Error('useCloseDialog needs a GuardedDialog above it');
  return guard.close;
}

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
