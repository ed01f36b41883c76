import type { GetToken } from '@/api/client';
import { onReachable } from '@/api/reachable';
import { onWake } from '@/ui/wake';
import { liveEventNames, type LiveEvent } from './live-events';
import {
  accepted,
  createSocket,
  emitInOrder,
  reconnection,
  retryDelayMs,
  timeoutMs,
  type LiveSocket,
  type OrderedReplies,
} from './socket';

export type SocketStatus = 'disconnected' | 'connecting' | 'connected' | 'reconnect_failed';

export interface ConnectionListener {
  /**
   * Later events are delivered; earlier ones may be missing and have to be read. `revision` is the
   * organisation's revision at this moment, or null if it is not known.
   */
  onJoined: (revision: number | null) => void;
  onEvent: (event: LiveEvent) => void;
  /** No event is delivered until the next `onJoined`. */
  onLost?: () => void;
  /** The attempts are exhausted, or there is no token. Later retries call `onJoined`. */
  onEnded?: () => void;
}

/** Interval of the checks for a newer token. Tokens live for minutes. */
const renewalMs = 10_000;

/** Mean interval of the retries after `reconnect_failed`. */
const slowRetryMs = 30_000;

/** How late a ping may arrive. */
const pingMarginMs = 5000;

/** The socket of one user in one organisation. */
export class Connection {
  readonly orgId: string;
  readonly #getToken: GetToken;
  readonly #statusSubscribers = new Set<() => void>();
  readonly #listeners = new Set<ConnectionListener>();
  #status: SocketStatus = 'disconnected';
  #socket: LiveSocket | null = null;
  /** The token that the server has. */
  #token: string | null = null;
  #isJoined = false;
  /** Since when no event has been delivered; of use while not joined. */
  #lostAt = 0;
  #notLiveSince: number | null = null;
  #rejections = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Counts starts and stops: work of an earlier run is dropped. */
  #run = 0;
  /**
   * Counts the tokens requested for CONNECT, and the transports that have closed: only the newest
   * token is sent.
   */
  #tokenRequest = 0;
  /** When the last ping of the server arrived. */
  #aliveAt = 0;
  /** The server's default, until the handshake says the interval. */
  #pingIntervalMs = 25_000;

  constructor(orgId: string, getToken: GetToken) {
    this.orgId = orgId;
    this.#getToken = getToken;
  }

  readonly getStatus = (): SocketStatus => this.#status;

  /**
   * Since when no event has been delivered, if the attempts were exhausted meanwhile;
   * otherwise null.
   */
  readonly getNotLiveSince = (): number | null => this.#notLiveSince;

  /** Whether events are delivered. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#statusSubscribers.add(subscriber);
    return () => this.#statusSubscribers.delete(subscriber);
  };

  /** Connects, and stays connected until the returned function is called. */
  start(): () => void {
    this.#run += 1;
    this.#lostAt = Date.now();
    void this.#connect();
    const retry = () => {
      if (this.#status === 'reconnect_failed') this.reconnect();
    };
    const stopWaking = onWake(() => {
      retry();
      this.#replaceSilent();
    });
    const stopReaching = onReachable(retry);
    const renewal = setInterval(() => void this.#renewToken(), renewalMs);
    return () => {
      this.#run += 1;
      stopWaking();
      stopReaching();
      clearInterval(renewal);
      clearTimeout(this.#retry);
      this.#socket?.removeAllListeners();
      this.#socket?.io.removeAllListeners();
      this.#socket?.disconnect();
      this.#socket = null;
      this.#markLost();
      this.#notLiveSince = null;
      this.#setStatus('disconnected');
    };
  }

  /** Tries again after `reconnect_failed`. */
  readonly reconnect = (): void => {
    this.#rejections = 0;
    void this.#connect();
  };

  listen(listener: ConnectionListener): () => void {
    this.#listeners.add(listener);
    if (this.#isJoined) listener.onJoined(null);
    if (this.#status === 'reconnect_failed') {
      queueMicrotask(() => this.#listeners.has(listener) && listener.onEnded?.());
    }
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reads a list of the organisation. `take` receives it in order with the events: it contains
   * those delivered before, and none delivered after.
   */
  read<Name extends 'get-components' | 'get-incidents' | 'get-maintenances'>(
    name: Name,
    take: (list: OrderedReplies[Name]) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const taken = (list: OrderedReplies[Name]) => {
        take(list);
        resolve();
      };
      if (this.#socket === null) reject(new Error('The socket is not connected'));
      else emitInOrder(this.#socket, name, this.orgId, taken, reject);
    });
  }

  async #connect(): Promise<void> {
    const run = this.#run;
    clearTimeout(this.#retry);
    this.#setStatus('connecting');
    try {
      // After a rejection the server needs another token.
      const token = await this.#getToken({ skipCache: this.#rejections > 0 });
      const socket = this.#socket ?? (await createSocket((send) => void this.#sendToken(send)));
      if (run !== this.#run) return;
      if (this.#socket === null) this.#addHandlers(socket);
      this.#socket = socket;
      if (!this.#useToken(token)) return;
      socket.connect();
      socket.io.engine.on('handshake', ({ pingInterval }) => {
        this.#pingIntervalMs = pingInterval;
      });
    } catch (error) {
      if (run === this.#run) this.#rejected(error);
    }
  }

  /**
   * Replaces a connection that broke while the device slept, which socket.io detects only after the
   * ping timeout.
   */
  #replaceSilent(): void {
    const silentMs = Date.now() - this.#aliveAt;
    if (this.#status !== 'connected' || silentMs <= this.#pingIntervalMs + pingMarginMs) return;
    this.#socket?.disconnect();
    this.reconnect();
  }

  #addHandlers(socket: LiveSocket): void {
    socket.on('connect', () => {
      this.#aliveAt = Date.now();
      this.#setStatus('connected');
      this.#join(socket);
    });
    socket.on('disconnect', (reason) => {
      this.#markLost();
      this.#setStatus('disconnected');
      // The server disconnects only to revoke access. Another token may still give it.
      if (reason === 'io server disconnect') this.#retryLater();
    });
    socket.on('connect_error', (error) => {
      if (!socket.active) this.#rejected(error);
      else {
        console.error(error);
        this.#setStatus('disconnected');
      }
    });
    socket.io.on('reconnect_attempt', () => this.#setStatus('connecting'));
    socket.io.on('reconnect_failed', () => this.#end('reconnect_failed'));
    socket.io.on('close', () => (this.#tokenRequest += 1));
    socket.io.on('ping', () => {
      this.#aliveAt = Date.now();
      // Browsers slow down the timers of a hidden tab; the server's pings still arrive.
      void this.#renewToken();
    });
    for (const name of liveEventNames) {
      socket.on(name, (...args: unknown[]) => {
        const event = { name, args } as LiveEvent;
        this.#listeners.forEach((listener) => listener.onEvent(event));
      });
    }
  }

  #join(socket: LiveSocket): void {
    // A connection that has ended is handled by its `disconnect` event.
    const isCurrent = () => socket === this.#socket && socket.connected;
    const joined = ({ revision }: OrderedReplies['join']) => {
      if (!isCurrent()) return;
      this.#rejections = 0;
      this.#isJoined = true;
      if (this.#notLiveSince !== null) {
        this.#notLiveSince = null;
        this.#notify();
      }
      this.#listeners.forEach((listener) => listener.onJoined(revision));
    };
    const failed = (error: Error) => isCurrent() && this.#rejected(error);
    emitInOrder(socket, 'join', this.orgId, joined, failed);
  }

  /**
   * Every CONNECT, also after a reconnection, carries the current token. `send` writes to the
   * newest transport, on which the server accepts one CONNECT.
   */
  async #sendToken(send: (payload: { token: string }) => void): Promise<void> {
    const run = this.#run;
    const request = (this.#tokenRequest += 1);
    const isNewest = () => run === this.#run && request === this.#tokenRequest;
    try {
      const token = await this.#getToken();
      if (isNewest() && this.#useToken(token)) send({ token });
    } catch (error) {
      if (isNewest()) this.#rejected(error);
    }
  }

  /** Prolongs the connection by the newest token before its own expires. */
  async #renewToken(): Promise<void> {
    const [run, socket] = [this.#run, this.#socket];
    if (socket === null || !this.#isJoined) return;
    try {
      const token = await this.#getToken();
      if (run !== this.#run || !socket.connected || token === this.#token) return;
      if (this.#useToken(token)) await this.#authenticate(socket, token);
    } catch (error) {
      if (run === this.#run && socket.connected) console.error(error);
    }
  }

  async #authenticate(socket: LiveSocket, token: string): Promise<void> {
    try {
      accepted(await socket.timeout(timeoutMs).emitWithAck('authenticate', token));
    } catch (error) {
      // The server may not have it, so the next renewal sends it again.
      if (token === this.#token) this.#token = null;
      throw error;
    }
  }

  /**
   * Ends the connection if there is no token. Otherwise the next handshake carries it, where the
   * transport can.
   */
  #useToken(token: string | null): token is string {
    if (token === null) {
      this.#end('disconnected');
      return false;
    }
    this.#token = token;
    if (this.#socket) this.#socket.io.opts.extraHeaders = { authorization: `Bearer ${token}` };
    return true;
  }

  /** The server or the identity provider rejected the connection. */
  #rejected(error: unknown): void {
    console.error(error);
    this.#socket?.disconnect();
    this.#setStatus('disconnected');
    this.#retryLater();
  }

  /** socket.io retries connections that break, but not those that are rejected. */
  #retryLater(): void {
    if (this.#rejections >= reconnection.reconnectionAttempts) {
      this.#end('reconnect_failed');
      return;
    }
    const delay = retryDelayMs(this.#rejections);
    this.#rejections += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), delay);
  }

  #markLost(): void {
    if (!this.#isJoined) return;
    this.#isJoined = false;
    this.#lostAt = Date.now();
    this.#listeners.forEach((listener) => listener.onLost?.());
  }

  #end(status: SocketStatus): void {
    this.#socket?.disconnect();
    if (status === 'reconnect_failed') {
      this.#notLiveSince ??= this.#lostAt;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(this.reconnect, slowRetryMs * (0.5 + Math.random()));
    }
    this.#setStatus(status);
    this.#listeners.forEach((listener) => listener.onEnded?.());
  }

  #setStatus(status: SocketStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#notify();
  }

  #notify(): void {
    this.#statusSubscribers.forEach((notify) => notify());
  }
}
