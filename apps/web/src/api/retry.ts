import { ApiError } from './error';

const retries = 3;
const capMs = 30_000;

/** Delay before a retry: 1, 2, 4, … seconds, at most 30. */
export function backoffMs(failures: number): number {
  return Math.min(1000 * 2 ** (failures - 1), capMs);
}

/**
 * Asks again up to three times before it fails. What would be refused again, such as an unknown id,
 * fails at once. Retrying here and not in SWR lets a query fail once, not once per attempt.
 */
export async function withRetries<T>(ask: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      const passing = error instanceof ApiError && error.isTransient;
      if (!passing || failures > retries) throw error;
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
    }
  }
}
