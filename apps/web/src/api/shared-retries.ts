import { withRetries } from './retry';

interface Outcome {
  response: unknown;
  /** Number of the attempt; later attempts have larger numbers. */
  begun: number;
}

/**
 * Retries like `withRetries`, in one series per key. A request that comes while an earlier one of
 * its key is retried shares its retries. It gets a response only from an attempt that began after
 * it came.
 */
export class SharedRetries {
  readonly #series = new Map<string, Promise<Outcome>>();
  #clock = 0;

  ask<T>(key: string, request: () => Promise<T>): Promise<T> {
    this.#clock += 1;
    return this.#ask(key, request, this.#clock);
  }

  async #ask<T>(key: string, request: () => Promise<T>, since: number): Promise<T> {
    const { response, begun } = await (this.#series.get(key) ?? this.#begin(key, request));
    return begun > since ? (response as T) : this.#ask(key, request, since);
  }

  #begin(key: string, request: () => Promise<unknown>): Promise<Outcome> {
    const series = this.#run(request).finally(() => this.#series.delete(key));
    this.#series.set(key, series);
    return series;
  }

  async #run(request: () => Promise<unknown>): Promise<Outcome> {
    let begun = 0;
    const response = await withRetries(() => {
      this.#clock += 1;
      begun = this.#clock;
      return request();
    });
    return { response, begun };
  }
}
