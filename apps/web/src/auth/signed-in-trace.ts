const storageKey = 'allclear:signed-in';

/*
 * The session is a cookie that no script can read, and asking the server costs every visitor of a public page a
 * request. So the app leaves a trace of somebody being signed in in this browser. It proves nothing.
 */

export function leaveTrace(signedIn: boolean): void {
  try {
    if (signedIn) localStorage.setItem(storageKey, 'yes');
    else localStorage.removeItem(storageKey);
  } catch {
    // Storage can be forbidden: everybody is taken for a stranger then.
  }
}

/** Whether somebody may be signed in here, so that it is worth asking. */
export function hasTrace(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}
