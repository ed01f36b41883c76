import { useEffect } from 'react';

/** The forms with unsaved changes. */
const holders = new Set<symbol>();

/** Whether a form on the page has unsaved changes. */
export function hasUnsavedChanges(): boolean {
  return holders.size > 0;
}

/** Registers unsaved changes: the browser asks before the page closes, the app before a navigation. */
export function useBeforeUnload(when: boolean): void {
  useEffect(() => {
    if (!when) return;
    const holder = Symbol('unsaved');
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    holders.add(holder);
    window.addEventListener('beforeunload', ask);
    return () => {
      holders.delete(holder);
      window.removeEventListener('beforeunload', ask);
    };
  }, [when]);
}
