import { use, useEffect, useId } from 'react';
import { GuardContext } from './dialog-guard';
import { useUnsavedChanges } from './unsaved-changes';

/**
 * Asks before a secret that is shown only once is left: the surrounding dialog does, or else
 * the page.
 */
export function useSecretGuard(isKept: boolean): void {
  const id = useId();
  const report = use(GuardContext)?.report;
  useUnsavedChanges(report === undefined && !isKept, false, true);
  useEffect(() => {
    report?.(id, { dirty: !isKept, isSubmitting: false, isSecret: true });
    return () => report?.(id, null);
  }, [report, id, isKept]);
}
