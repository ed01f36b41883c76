const storageKey = 'allclear:signed-in';

/*
 * The session is a cookie that no script can read, and asking the server costs every visitor of
 * a public page a request. So the app notes in this browser that a user is signed in. The note
 * proves nothing.
 */

export function storeLastSessionHint(signedIn: boolean): void {
  try {
    if (signedIn) localStorage.setItem(storageKey, 'yes');
    else localStorage.removeItem(storageKey);
  } catch {
    // Storage may be forbidden. Then the status page uses the event stream.
  }
}

/** Whether the last session in this browser may still exist. */
export function hasLastSessionHint(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}
