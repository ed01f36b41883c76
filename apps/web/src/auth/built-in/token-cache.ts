import type { IssuedToken } from './types';

/** A token this close to its end is not handed out: it has to survive its way to the server. */
const marginMs = 30_000;
/** The server's and the reader's clocks differ; whatever they say, a token is kept between these. */
const keptAtLeastMs = 60_000;
const keptAtMostMs = 5 * 60_000 - marginMs;

/** Holds the bearer token of the moment, in memory and nowhere else. However many ask at once, one request is made. */
export class TokenCache {
  readonly #ask: () => Promise<IssuedToken>;
  #held: { token: string; until: number } | null = null;
  #asking: Promise<string> | null = null;

  constructor(ask: () => Promise<IssuedToken>) {
    this.#ask = ask;
  }

  get({ skipCache = false } = {}): Promise<string> {
    if (!skipCache && this.#held !== null && Date.now() < this.#held.until) {
      return Promise.resolve(this.#held.token);
    }
    this.#asking ??= this.#renew();
    return this.#asking;
  }

  /** What is on its way still reaches those who wait for it, and is not kept. */
  forget(): void {
    this.#held = null;
    this.#asking = null;
  }

  #renew(): Promise<string> {
    const asking = this.#ask()
      .then(({ token, expiresAt }) => {
        if (this.#asking === asking) this.#held = { token, until: keptUntil(expiresAt) };
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
