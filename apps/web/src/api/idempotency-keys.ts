import { ApiError } from './error';

/**
 * Short enough for an operator to record the same update again later, such as
 * "Still investigating".
 */
const keptMs = 15 * 60_000;
const keptAtMost = 20;

/**
 * The keys of creates that may have been executed although no response says so. The server executes
 * a create once for each key, so a retry with the key of the first attempt creates nothing twice.
 */
export class IdempotencyKeys {
  /** By content; the oldest attempt first. */
  readonly #kept = new Map<string, { key: string; until: number }>();

  /** Sends a create with the kept key of this content, or with a new key. */
  async send<T>(content: string, send: (key: string) => Promise<T>): Promise<T> {
    const key = this.#keyOf(content);
    try {
      const response = await send(key);
      this.#kept.delete(content);
      return response;
    } catch (error) {
      if (isRefusal(error)) this.#kept.delete(content);
      throw isInProgress(error) ? new ApiError(409, inProgress) : error;
    }
  }

  #keyOf(content: string): string {
    const kept = this.#kept.get(content);
    const key = kept && Date.now() < kept.until ? kept.key : randomUuid();
    this.#kept.delete(content);
    this.#kept.set(content, { key, until: Date.now() + keptMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptAtMost && oldest !== undefined) this.#kept.delete(oldest);
    return key;
  }
}

const inProgress = 'The first attempt is still in progress. Try again in a moment.';

/** Whether the first request with the key is still running. The problem has no type of its own. */
function isInProgress(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 409 && error.message.includes('Idempotency-Key')
  );
}

/**
 * Whether the server refused the content, so that nothing was created. After any other failure this
 * attempt or an earlier one may have been executed: a token or a role is refused before the server
 * looks at the key.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.isTransient) return false;
  return ![401, 403, 409].includes(error.status);
}

/** `crypto.randomUUID` is missing on pages that are served over http. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  // Version 4 of RFC 9562.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}
