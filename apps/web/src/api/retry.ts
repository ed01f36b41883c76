import { ApiError } from './error';

const retries = 3;
const capMs = 30_000;
/** The longest wait that a server may ask for; beyond it the request fails. */
const mostRetryAfterMs = 10_000;

/** Delay before a retry: 1, 2, 4, … seconds, at most 30. */
export function backoffMs(failures: number): number {
  return Math.min(1000 * 2 ** (failures - 1), capMs);
}

/**
 * Asks again up to three times before it fails, and not before the server's `Retry-After`. What
 * would be refused again, such as an unknown id, fails at once. Retrying here and not in SWR lets a
 * query fail once, not once per attempt.
 */
export async function withRetries<T>(ask: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError && error.isTransient) || failures > retries) throw error;
      const askedMs = (error.retryAfter ?? 0) * 1000;
      if (askedMs > mostRetryAfterMs) throw error;
      const delay = Math.max(backoffMs(failures), askedMs);
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
