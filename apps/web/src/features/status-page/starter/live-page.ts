import { isGone, loadCodeOrReload, reloadAfterMs } from '@/api/load-code';
import { backoffMs } from '@/api/retry';
import { ConnectionAnnouncer } from '@/features/status-page/connection-announcer';
import { afterConnected, type ConnectionState } from '@/features/status-page/connection-state';
import {
  followEventStream,
  type Follow,
  type StateListener,
} from '@/features/status-page/event-stream';
import { areFiguresOld, figuresMs, haveBarsMoved } from '@/features/status-page/moving-figures';
import {
  FailedResponse,
  fetchDrawn,
  fetchSnapshot,
  type DrawnPage,
} from '@/features/status-page/snapshot';
import { isUnknownOrganisation } from '@/features/status-page/unknown-organisation';
import { hideLoadNotice, showLoadNotice } from './failure-notice';
import { KeptInput, sameElement } from './kept-input';
import { showConnection, showTimeZone } from './live-indicator';
import { showLocalTimes } from './local-times';
import type { StartedPage, StartedState } from './started-page';

/** Loads React and lets it hydrate the page. Resolves once React handles the input. */
type Hydrate = (page: StartedPage) => Promise<void>;

/**
 * A page as the server has drawn it, with an open event stream. An event or an input makes it load
 * React, and is kept until React can handle it.
 */
export class LivePage implements StartedPage {
  readonly orgId: string;
  readonly maybeSignedIn: boolean;
  readonly state: Promise<StartedState>;
  readonly fetchSnapshot = fetchSnapshot;
  readonly loadCode = loadCodeOrReload;
  readonly #hydrate: Hydrate;
  readonly #drawnRevision: number;
  readonly #input: KeptInput;
  readonly #clock = new AbortController();
  readonly #announcer = new ConnectionAnnouncer();
  #connection: ConnectionState;
  /** Closes the stream; undefined once React closes it. */
  #close: (() => void) | undefined;
  /** What the stream has delivered. */
  readonly #waiting: ((listener: StateListener) => void)[] = [];
  #loading: Promise<void> | undefined;
  /** Whether the page is out of date without React. */
  #isOutdated = false;
  /** Whether the page says that it is out of date, because React could not be loaded. */
  #showsOutdated = false;
  #failures = 0;
  #focused: Element | null = null;

  constructor(drawn: DrawnPage, maybeSignedIn: boolean, hydrate: Hydrate) {
    this.orgId = drawn.orgId;
    this.maybeSignedIn = maybeSignedIn;
    this.#hydrate = hydrate;
    this.#drawnRevision = parseInt(drawn.tag);
    const drawnAt = document.querySelector<HTMLTimeElement>('.live time')?.dateTime ?? '';
    this.#connection = { status: 'connecting', asOf: drawnAt };
    showConnection(document, this.#connection);
    showTimeZone(document);
    showLocalTimes(document, this.#clock.signal);
    this.#input = new KeptInput((isPress) => {
      // After a failure, only a press tries again.
      if (isPress || this.#failures === 0) this.#load();
      return this.#loading !== undefined;
    });
    this.state = readUntilKnown(drawn, drawnAt);
    void this.state.then((read) => this.#watchFigures(read));
    if (maybeSignedIn) this.#update();
    else this.#close = followEventStream(drawn.orgId, this.#drawnRevision, this.#listener);
    pressTarget();
  }

  readonly follow: Follow = (orgId, revision, react) => {
    const listener = this.#announcer.wrap(react);
    // A failed load of React may have been announced as a loss.
    if (this.#connection.status === 'live') this.#announcer.update(true);
    const close = this.#close;
    this.#close = undefined;
    if (!close || revision < this.#drawnRevision) {
      // This stream has begun after what an older state lacks.
      close?.();
      return followEventStream(orgId, revision, listener);
    }
    Object.assign(this.#listener, listener);
    for (const deliver of this.#waiting.splice(0)) deliver(listener);
    return close;
  };

  stop(): ConnectionState {
    this.#clock.abort();
    this.#announcer.stop();
    // After a failed load, the indicator may show another connection than this one.
    showConnection(document, this.#connection);
    this.#focused = document.activeElement;
    return this.#connection;
  }

  readonly #listener: StateListener = {
    onEvent: (event) => this.#wait((react) => react.onEvent(event)),
    onState: (state) => this.#wait((react) => react.onState(state)),
    onConnected: (connected) => {
      this.#announcer.update(connected && !this.#showsOutdated);
      this.#connection = afterConnected(this.#connection, connected);
      if (this.#clock.signal.aborted) this.#waiting.push((react) => react.onConnected(connected));
      else if (!this.#showsOutdated) showConnection(document, this.#connection);
    },
  };

  #wait(deliver: (listener: StateListener) => void): void {
    this.#waiting.push(deliver);
    this.#update();
  }

  /** Loads React even after failures. */
  #update(): void {
    this.#isOutdated = true;
    this.#load();
  }

  #load(): void {
    hideLoadNotice();
    this.#loading ??= this.#hydrate(this).then(
      () => this.#finish(),
      (error: unknown) => this.#fail(error),
    );
  }

  #finish(): Promise<void> {
    if (this.#focused instanceof HTMLElement && !this.#focused.isConnected) {
      sameElement(this.#focused)?.focus({ preventScroll: true });
    }
    return this.#input.repeat();
  }

  #fail(error: unknown): void {
    console.error(error);
    this.#loading = undefined;
    this.#failures += 1;
    const { isPressed } = this.#input;
    this.#input.forget();
    const isReplaced = error instanceof FailedResponse && isGone(error.response);
    if (isReplaced && (isPressed || this.#isOutdated) && performance.now() > reloadAfterMs) {
      location.reload();
      return;
    }
    if (isPressed) showLoadNotice();
    if (!this.#isOutdated) return;
    if (!this.#showsOutdated) {
      this.#showsOutdated = true;
      this.#announcer.update(false);
      showConnection(document, afterConnected(this.#connection, false));
    }
    setTimeout(() => this.#load(), backoffMs(this.#failures) * (1 - Math.random() / 2));
  }

  #watchFigures({ state, isDrawn }: StartedState): void {
    if (!isDrawn) this.#update();
    const timer = setInterval(() => {
      if (this.#clock.signal.aborted) clearInterval(timer);
      else if (areFiguresOld(state)) this.#update();
    }, figuresMs);
  }
}

/**
 * Presses the button that the address names: other pages lead to the button that subscribes, and
 * that of an incident to the one that follows it.
 */
function pressTarget(): void {
  // Not `:target`, which browsers may set later than this script runs.
  const button = document.getElementById(location.hash.slice(1));
  if (!(button instanceof HTMLButtonElement)) return;
  button.click();
  // Otherwise a page that is loaded again would open the dialog again.
  history.replaceState(null, '', location.pathname + location.search);
}

/** Until the state is known, the page stays as the server has drawn it. */
async function readUntilKnown(drawn: DrawnPage, drawnAt: string): Promise<StartedState> {
  let olderStates = 0;
  for (let failures = 1; ; failures += 1) {
    try {
      const readAt = Date.now();
      const { state, isDrawn } = await fetchDrawn(drawn);
      // A node that lags behind knows of the change in a second. A restored backup never does.
      if (state.revision < parseInt(drawn.tag) && (olderStates += 1) < 4)
        throw new Error('The state is too old');
      // The bars of yesterday have the same tag if nothing has happened since.
      const isOld = haveBarsMoved(state, drawnAt);
      return { state, isDrawn: isDrawn && !isOld, readAt };
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
      // The organisation is gone. The server says what to do.
      if (isUnknownOrganisation(error)) location.reload();
    }
  }
}
