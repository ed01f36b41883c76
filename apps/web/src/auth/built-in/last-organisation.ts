const storageKey = (userId: string) => `allclear:organisation-of:${userId}`;

/** Stores in this browser where a user has worked: the server knows it only of the session. */
export function storeLastOrganisation(userId: string, organisationId: string): void {
  try {
    localStorage.setItem(storageKey(userId), organisationId);
  } catch {
    // Storage may be forbidden. Then a new session begins in the newest organisation.
  }
}

/**
 * Returns the identifier of the organisation in which the user has worked last in this browser;
 * null if it is not known.
 */
export function lastOrganisation(userId: string): string | null {
  try {
    return localStorage.getItem(storageKey(userId));
  } catch {
    return null;
  }
}
