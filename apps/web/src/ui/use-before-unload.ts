import { useEffect } from 'react';

/** Whatever on the page holds something typed that is not saved. */
const holders = new Set<symbol>();

/** Whether something would be lost with this page. */
export function holdsUnsaved(): boolean {
  return holders.size > 0;
}

/** Lets the browser ask before the tab is closed or another page is loaded, and the app before another screen is shown. */
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
