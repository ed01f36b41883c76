import { createContext, use } from 'react';

/** The state of a form or a secret in a dialog. */
export interface FormState {
  dirty: boolean;
  isSubmitting: boolean;
  /** Whether it is a secret, in place of a form. */
  isSecret?: boolean;
}

interface Guard {
  /** Closes the dialog; asks before if text was typed, or a secret would be lost. */
  close: () => void;
  /**
   * Closes the dialog while one of its forms is being saved, unless text or a secret elsewhere in
   * it would be lost.
   */
  finish: () => void;
  report: (form: string, state: FormState | null) => void;
}

/** The surrounding dialog, to which its forms and secrets report their state. */
export const GuardContext = createContext<Guard | null>(null);

/** Returns the function that closes the surrounding dialog. */
export function useCloseDialog(): () => void {
  return useGuard().close;
}

/**
 * Returns the function that closes the surrounding dialog at the end of a form's submission, once
 * it is saved.
 */
export function useFinishDialog(): () => void {
  return useGuard().finish;
}

function useGuard(): Guard {
  const guard = use(GuardContext);
  if (guard === null) throw new Error('A GuardedDialog is needed above this component');
  return guard;
}
