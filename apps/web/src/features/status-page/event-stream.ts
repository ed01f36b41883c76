import { backoffMs } from '@/api/retry';
import { apiBase, calls } from '@/paths';
import { liveEventNames, type LiveEvent } from '@/realtime/live-events';
import { onWake } from '@/realtime/wake';
import type { CaughtUp } from './page-state';
import { fetchSnapshot } from './snapshot';

/** Who wants to know what changes. */
export interface Viewer {
  tell: (event: LiveEvent) => void;
  /** The state read anew, because events were missed. */
  catchUp: (state: CaughtUp) => void;
  /** Whether what is shown is the state of now. */
  connected: (connected: boolean) => void;
}

/** Follows an organisation from a revision on. Answers how to stop. */
export type Follow = (orgId: string, revision: number, viewer: Viewer) => () => void;

/** Follows by server-sent events, as everybody may who has no account. */
export const followEventStream: Follow = (orgId, revision, viewer) => {
  const stream = new EventStream(orgId, revision, viewer);
  stream.open();
  const stopWaking = onWake(stream.wake);
  return () => {
    stopWaking();
    stream.close();
  };
};

/** Follows in a way that is still to be found out. */
export function followLater(choose: () => Promise<Follow>): Follow {
  return (...where) => {
    let stop: (() => void) | undefined;
    let left = false;
    void choose().then((follow) => {
      if (!left) stop = follow(...where);
    });
    return () => {
      left = true;
      stop?.();
    };
  };
}

/**
 * `EventSource` comes back by itself when a connection breaks, and resumes after the last event that it got. It gives
 * up when an answer is an error; then, and when the server says `resync`, the state is read anew if it has
 * changed, and a new stream goes on from there.
 */
class EventStream {
  private readonly stopped = new AbortController();
  private readonly orgId: string;
  private readonly viewer: Viewer;
  private revision: number;
  private source: EventSource | undefined;
  private timer: number | undefined;
  private failures = 0;
  private resyncs = 0;

  constructor(orgId: string, revision: number, viewer: Viewer) {
    this.orgId = orgId;
    this.revision = revision;
    this.viewer = viewer;
  }

  open(): void {
    this.source?.close();
    const source = new EventSource(apiBase + calls.statusEvents(this.orgId, this.revision));
    this.source = source;
    source.addEventListener('open', () => {
      this.failures = 0;
      this.viewer.connected(true);
    });
    source.addEventListener('error', () => {
      this.viewer.connected(false);
      if (source.readyState === EventSource.CLOSED) this.retry((this.failures += 1));
    });
    for (const name of liveEventNames) source.addEventListener(name, this.receive);
    source.addEventListener('resync', () => {
      // The stream goes on, but its events belong to a state that is not read yet: a new one goes on from that.
      source.close();
      this.retry(this.resyncs);
      this.resyncs += 1;
    });
  }

  close(): void {
    this.stopped.abort();
    window.clearTimeout(this.timer);
    this.source?.close();
  }

  /** The network or the person is back: no need to wait for the time to come. */
  readonly wake = (): void => {
    if (this.source?.readyState === EventSource.CLOSED) this.retry(0);
  };

  private readonly receive = ({ type, data, lastEventId }: MessageEvent<string>): void => {
    this.resyncs = 0;
    this.viewer.tell({ name: type, args: JSON.parse(data) as unknown } as LiveEvent);
    // The last event of a transaction carries its revision; one before it still has the revision before.
    if (lastEventId !== '') this.revision = Number(lastEventId);
  };

  /** After some failures wait longer, and never all viewers at the same time. */
  private retry(failures: number): void {
    const delay = failures === 0 ? 0 : backoffMs(failures) * (0.5 + Math.random());
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.readAnew(), delay);
  }

  private async readAnew(): Promise<void> {
    try {
      const snapshot = await fetchSnapshot(this.orgId, this.revision, this.stopped.signal);
      if (this.stopped.signal.aborted) return;
      if (snapshot) {
        this.revision = snapshot.revision;
        this.viewer.catchUp(snapshot);
      }
      this.open();
    } catch {
      if (this.stopped.signal.aborted) return;
      this.viewer.connected(false);
      this.retry((this.failures += 1));
    }
  }
}
