const listeners = new Set<() => void>();

/**
 * Calls `listener` after each successful response of the API, until the returned function
 * is called.
 */
export function onReachable(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reports a successful response. */
export function notifyReachable(): void {
  listeners.forEach((listener) => listener());
}
