import { backoffMs } from '@/api/retry';
import { apiBase, publicEndpoints } from '@/public-paths';
import { liveEventNames, type LiveEvent } from '@/realtime/live-events';
import { onWake } from '@/ui/wake';
import type { CurrentLists } from './page-state';
import { fetchSnapshot } from './snapshot';
import { isUnknownOrganisation } from './unknown-organisation';

/**
 * A connection on which nothing arrives for this time is closed, up to a fifth later. The server
 * sends a ping every 20 s.
 */
const silenceMs = 50_000;
/** A returning page does not wait for the end of a silence of this length. */
const staleAfterMs = 25_000;
/** States that stay behind for this time are those of a restored copy. */
const restoredMs = 60_000;

export interface StateListener {
  onEvent: (event: LiveEvent) => void;
  /** Receives the whole state if events were missed. */
  onState: (state: CurrentLists) => void;
  /** Says whether the page shows the current state. */
  onConnected: (connected: boolean) => void;
}

/**
 * Follows the changes of an organisation after a revision, until the returned function is called.
 */
export type Follow = (orgId: string, revision: number, listener: StateListener) => () => void;

/** Follows by server-sent events, which need no account. */
export const followEventStream: Follow = (orgId, revision, listener) => {
  const stream = new EventStream(orgId, revision, listener);
  stream.open();
  const stopWaking = onWake(stream.wake);
  return () => {
    stopWaking();
    stream.close();
  };
};

/**
 * `EventSource` reconnects by itself after a broken connection, and resumes after the last event.
 * It waits as long as the server says: some seconds, other ones for each viewer. It gives up after
 * an error response, and does not see that a connection was cut without a word. Then, and after a
 * `resync` event, the snapshot is read and a new stream starts at its revision.
 */
class EventStream {
  readonly #orgId: string;
  readonly #listener: StateListener;
  #revision: number;
  /** Revision that a `resync` event has announced; null if it is that of the page. */
  #latest: number | null = null;
  #source: EventSource | undefined;
  #reading = new AbortController();
  /** Ends the wait before a retry, or a silence. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * When something arrived last, or when that was last asked for. The clock of timers may stand
   * still while a device sleeps.
   */
  #aliveAt = 0;
  #isStopped = false;
  /** Whether this stream has lost its connection. */
  #isLost = false;
  #failures = 0;
  #resyncs = 0;
  /** Since when only states are read that are behind. */
  #behindSince: number | null = null;

  constructor(orgId: string, revision: number, listener: StateListener) {
    this.#orgId = orgId;
    this.#revision = revision;
    this.#listener = listener;
  }

  open(): void {
    this.#source?.close();
    const source = new EventSource(
      apiBase + publicEndpoints.statusEvents(this.#orgId, this.#revision),
    );
    this.#source = source;
    this.#isLost = false;
    this.#restartSilenceTimer();
    source.addEventListener('open', () => {
      this.#isLost = false;
      this.#failures = 0;
      this.#restartSilenceTimer();
      this.#listener.onConnected(true);
    });
    source.addEventListener('ping', this.#restartSilenceTimer);
    source.addEventListener('error', () => {
      this.#isLost = true;
      this.#restartSilenceTimer();
      this.#listener.onConnected(false);
      if (source.readyState === EventSource.CLOSED) this.#retry((this.#failures += 1));
    });
    for (const name of liveEventNames) source.addEventListener(name, this.#receive);
    source.addEventListener('resync', ({ lastEventId }: MessageEvent<string>) => {
      this.#latest = lastEventId === '' ? null : Number(lastEventId);
      // The next events of this stream belong to a state that is not read yet.
      source.close();
      this.#retry(this.#resyncs);
      this.#resyncs += 1;
    });
  }

  close(): void {
    this.#isStopped = true;
    this.#reading.abort();
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  /** Retries at once when the network or a hidden page returns. */
  readonly wake = (): void => {
    if (this.#isLost || Date.now() - this.#aliveAt > staleAfterMs) this.#source?.close();
    if (this.#source?.readyState === EventSource.CLOSED) this.#retry(0);
  };

  readonly #receive = ({ type, data, lastEventId }: MessageEvent<string>): void => {
    this.#resyncs = 0;
    this.#restartSilenceTimer();
    this.#listener.onEvent({ name: type, args: JSON.parse(data) as unknown } as LiveEvent);
    // The last event of a transaction carries its revision; earlier ones carry the revision before.
    if (lastEventId !== '') this.#revision = Number(lastEventId);
  };

  /**
   * Reconnects after a silence. Viewers whose connections were cut together do not return all
   * at once.
   */
  readonly #restartSilenceTimer = (): void => {
    if (this.#isStopped) return;
    this.#aliveAt = Date.now();
    clearTimeout(this.#timer);
    const end = () => {
      this.#source?.close();
      this.#listener.onConnected(false);
      this.#retry(0);
    };
    this.#timer = setTimeout(end, silenceMs * (1 + Math.random() / 5));
  };

  /**
   * Waits longer after each failure, at most 30 s, and by a random amount, so that viewers do not
   * return all at once.
   */
  #retry(failures: number): void {
    if (this.#isStopped) return;
    const delay = failures === 0 ? 0 : backoffMs(failures) * (1 - Math.random() / 2);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#resync(), delay);
  }

  /** Whether a state is that of a node that is behind what is known. */
  #isBehind(revision: number, known: number): boolean {
    if (revision >= known) this.#behindSince = null;
    else this.#behindSince ??= Date.now();
    return this.#behindSince !== null && Date.now() - this.#behindSince < restoredMs;
  }

  async #resync(): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.#restartSilenceTimer();
    try {
      const known = this.#latest ?? this.#revision;
      const snapshot = await fetchSnapshot(this.#orgId, known, signal);
      if (signal.aborted) return;
      if (this.#isBehind(snapshot.revision, known)) throw new Error('The state is too old');
      this.#latest = null;
      if (snapshot.revision !== this.#revision) {
        this.#revision = snapshot.revision;
        this.#listener.onState(snapshot);
      }
      this.open();
    } catch (error) {
      if (signal.aborted) return;
      // The organisation is gone. The server says what to do.
      if (isUnknownOrganisation(error)) location.reload();
      this.#listener.onConnected(false);
      this.#retry((this.#failures += 1));
    }
  }
}
