import { useEffect, useRef, useSyncExternalStore } from 'react';

interface Holder {
  isSaving: boolean;
  /** Whether it is a secret that is not copied yet, in place of typed text. */
  isSecret: boolean;
  /** Whether the form leaves its screen by itself, after a save or by Cancel. */
  isLeaving: boolean;
}

/** The consequence of leaving a secret. */
export const secretLost = 'You have not copied what is shown. It is not shown again.';

/** The forms with unsaved changes, and the secrets. */
const holders = new Set<Holder>();

const listeners = new Set<() => void>();

let isNavigationWaiting = false;

/**
 * Reports whether a navigation waits for the user's decision. It takes precedence over that of
 * a form.
 */
export function setNavigationWaiting(isWaiting: boolean): void {
  isNavigationWaiting = isWaiting;
}

/** Whether a form on the page has unsaved changes. */
export function hasUnsavedChanges(): boolean {
  return unsavedState() !== 'nothing';
}

export type Unsaved = 'nothing' | 'saving' | 'typed' | 'secret';

/**
 * The state of all forms; `saving` if all unsaved changes are being saved, `secret` if any
 * is a secret.
 */
function unsavedState(): Unsaved {
  const staying = [...holders].filter(({ isLeaving }) => !isLeaving);
  if (staying.length === 0) return 'nothing';
  if (staying.some(({ isSecret }) => isSecret)) return 'secret';
  return staying.every(({ isSaving }) => isSaving) ? 'saving' : 'typed';
}

export function useUnsaved(): Unsaved {
  return useSyncExternalStore(subscribe, unsavedState);
}

/** Calls `listener` after each change of the state. Returns the function that ends this. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** Makes the forms ask again that were about to leave, because the user stays. */
export function cancelLeaving(): void {
  for (const holder of holders) holder.isLeaving = false;
  notify();
}

/** Leaves all forms without a further question: the user has agreed that their changes are lost. */
export function discardUnsavedChanges(): void {
  for (const holder of holders) holder.isLeaving = true;
  notify();
}

/** Calls `go`, which leaves the screen, without a question about this form. */
export type Leave = (go: () => void) => void;

/**
 * Registers unsaved changes: the browser asks before the page closes, the app before a navigation.
 */
export function useUnsavedChanges(isDirty: boolean, isSaving = false, isSecret = false): Leave {
  const holder = useRef<Holder>({ isSaving, isSecret, isLeaving: false });
  useEffect(() => {
    Object.assign(holder.current, { isSaving, isSecret });
    notify();
  }, [isSaving, isSecret]);
  useEffect(() => {
    if (!isDirty) return;
    const own = holder.current;
    // The form may have left, and been shown again with another item.
    own.isLeaving = false;
    const ask = (event: BeforeUnloadEvent) => {
      if (!own.isLeaving) event.preventDefault();
    };
    holders.add(own);
    notify();
    window.addEventListener('beforeunload', ask);
    return () => {
      holders.delete(own);
      notify();
      window.removeEventListener('beforeunload', ask);
    };
  }, [isDirty]);

  return (go) => {
    holder.current.isLeaving = true;
    notify();
    if (!isNavigationWaiting) go();
  };
}
