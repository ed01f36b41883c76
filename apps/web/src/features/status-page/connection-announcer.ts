import { connectionTexts } from './connection-state';
import type { Follow, StateListener } from './event-stream';

/** A loss of the connection that ends sooner is shown, but not announced. */
const announcedAfterMs = 5000;

/**
 * Announces to screen readers that the connection has been lost for some seconds, and that the page
 * is live again after such a loss. The texts stand in the log of changes, where React leaves
 * elements alone that it has not drawn.
 */
export class ConnectionAnnouncer {
  /** Set while the connection is lost. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLossAnnounced = false;
  readonly #text = document.createElement('p');

  update(isConnected: boolean): void {
    if (isConnected) {
      this.stop();
      if (this.#isLossAnnounced) this.#announce(connectionTexts.live);
      this.#isLossAnnounced = false;
    } else
      this.#timer ??= setTimeout(() => {
        this.#isLossAnnounced = true;
        // The indicator says of which time the state is.
        this.#announce(document.querySelector('.live')?.textContent);
      }, announcedAfterMs);
  }

  /** Cancels the announcement of a loss, and removes the text. React draws the log without it. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text.remove();
  }

  /** Returns a listener that also updates this announcer. */
  wrap(listener: StateListener): StateListener {
    return {
      ...listener,
      onConnected: (connected) => {
        this.update(connected);
        listener.onConnected(connected);
      },
    };
  }

  #announce(text = ''): void {
    this.#text.textContent = text;
    document.querySelector('[role=log]')?.append(this.#text);
  }
}

/** Follows like `follow`, and announces losses of the connection. */
export function withAnnouncer(follow: Follow): Follow {
  return (orgId, revision, listener) => {
    const announcer = new ConnectionAnnouncer();
    const close = follow(orgId, revision, announcer.wrap(listener));
    return () => {
      close();
      announcer.stop();
    };
  };
}
