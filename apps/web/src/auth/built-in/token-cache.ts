import type { IssuedToken } from './types';

/** A token is used only if it is valid for this long, so that it is valid at the server. */
const marginMs = 30_000;
/** Limits of a token's lifetime in the cache, because the clocks of server and browser differ. */
const keptAtLeastMs = 60_000;
const keptAtMostMs = 5 * 60_000 - marginMs;

/** Keeps the current bearer token in memory. Concurrent callers share one request. */
export class TokenCache {
  readonly #ask: () => Promise<IssuedToken>;
  #cached: { token: string; until: number } | null = null;
  #asking: Promise<string> | null = null;

  constructor(ask: () => Promise<IssuedToken>) {
    this.#ask = ask;
  }

  get({ skipCache = false } = {}): Promise<string> {
    if (!skipCache && this.#cached !== null && Date.now() < this.#cached.until) {
      return Promise.resolve(this.#cached.token);
    }
    this.#asking ??= this.#renew();
    return this.#asking;
  }

  /** Drops the token. A pending request still resolves, but its token is not kept. */
  forget(): void {
    this.#cached = null;
    this.#asking = null;
  }

  #renew(): Promise<string> {
    const asking = this.#ask()
      .then(({ token, expiresAt }) => {
        if (this.#asking === asking) this.#cached = { token, until: keptUntil(expiresAt) };
        return token;
      })
      .finally(() => {
        if (this.#asking === asking) this.#asking = null;
      });
    return asking;
  }
}

function keptUntil(expiresAt: string): number {
  const life = Date.parse(expiresAt) - Date.now() - marginMs;
  return Date.now() + Math.min(Math.max(life, keptAtLeastMs), keptAtMostMs);
}
