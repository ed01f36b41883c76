import type { GetToken } from '@/api/client';
import { liveEventNames, type LiveEvent } from './live-events';
import {
  accepted,
  createSocket,
  reconnection,
  timeoutMs,
  type LiveSocket,
  type PublicLists,
} from './socket';
import { onWake } from './wake';

export type SocketStatus = 'disconnected' | 'connecting' | 'connected' | 'reconnect_failed';

/** Who wants to know what happens in the organisation. */
export interface Follower {
  /**
   * From here on every event is told. What happened before may have been missed and has to be read. `revision` is the
   * organisation's at this moment, where it is known: later events are of later revisions.
   */
  joined: (revision: number | null) => void;
  tell: (event: LiveEvent) => void;
  /** No event is told until the next `joined`. */
  lost?: () => void;
  /** The connection is not tried again by itself. */
  ended?: () => void;
}

/** Tokens live for minutes: this often it is looked whether there is a newer one. */
const renewalMs = 10_000;

/** The socket of one person in one organisation. */
export class Connection {
  readonly orgId: string;
  readonly #getToken: GetToken;
  readonly #listeners = new Set<() => void>();
  readonly #followers = new Set<Follower>();
  #status: SocketStatus = 'disconnected';
  #socket: LiveSocket | null = null;
  /** The token that the server knows. */
  #token: string | null = null;
  #joined = false;
  #refusals = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Counts starts and stops: what was begun in an earlier one is of no interest any more. */
  #run = 0;

  constructor(orgId: string, getToken: GetToken) {
    this.orgId = orgId;
    this.#getToken = getToken;
  }

  readonly getStatus = (): SocketStatus => this.#status;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Connects, and stays connected until the returned function is called. */
  start(): () => void {
    this.#run += 1;
    void this.#connect();
    const stopWaking = onWake(() => {
      if (this.#status === 'reconnect_failed') this.reconnect();
    });
    const renewal = setInterval(() => void this.#renew(), renewalMs);
    return () => {
      this.#run += 1;
      stopWaking();
      clearInterval(renewal);
      clearTimeout(this.#retry);
      this.#socket?.removeAllListeners();
      this.#socket?.io.removeAllListeners();
      this.#socket?.disconnect();
      this.#socket = null;
      this.#lost();
      this.#set('disconnected');
    };
  }

  /** Tries again after `reconnect_failed`. */
  readonly reconnect = (): void => {
    this.#refusals = 0;
    void this.#connect();
  };

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    if (this.#joined) follower.joined(null);
    if (this.#status === 'reconnect_failed') {
      queueMicrotask(() => this.#followers.has(follower) && follower.ended?.());
    }
    return () => this.#followers.delete(follower);
  }

  /**
   * Reads a list of a joined organisation. `take` gets it at its place among the events: those told before are in it,
   * those told after are not.
   */
  read<Name extends keyof PublicLists>(
    name: Name,
    take: (list: PublicLists[Name]) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null, answer: PublicLists[Name]) => {
        try {
          if (error) throw error;
          take(accepted(answer));
          resolve();
        } catch (reason) {
          reject(reason instanceof Error ? reason : new Error(String(reason)));
        }
      };
      const socket = this.#socket?.timeout(timeoutMs) as Asking | undefined;
      if (socket === undefined) reject(new Error('The socket is not connected'));
      else socket.emit(name, this.orgId, answered);
    });
  }

  async #connect(): Promise<void> {
    const run = this.#run;
    clearTimeout(this.#retry);
    this.#set('connecting');
    try {
      // After a refusal the server is to see another token than the one that it refused.
      const token = await this.#getToken({ skipCache: this.#refusals > 0 });
      const socket = this.#socket ?? (await createSocket((give) => void this.#authorise(give)));
      if (run !== this.#run) return;
      if (this.#socket === null) this.#listen(socket);
      this.#socket = socket;
      if (token === null) {
        this.#end('disconnected');
        return;
      }
      this.#carry(token);
      socket.connect();
    } catch (error) {
      if (run === this.#run) this.#refused(error);
    }
  }

  #listen(socket: LiveSocket): void {
    socket.on('connect', () => {
      this.#set('connected');
      this.#join(socket);
    });
    socket.on('disconnect', (reason) => {
      this.#lost();
      this.#set('disconnected');
      // Only access that is gone is answered so. Another token may still give it.
      if (reason === 'io server disconnect') this.#tryLater();
    });
    socket.on('connect_error', (error) => {
      if (!socket.active) this.#refused(error);
      else {
        console.error(error);
        this.#set('disconnected');
      }
    });
    socket.io.on('reconnect_attempt', () => this.#set('connecting'));
    socket.io.on('reconnect_failed', () => this.#end('reconnect_failed'));
    // Timers sleep in a hidden tab; the server's pings come through.
    socket.io.on('ping', () => void this.#renew());
    for (const name of liveEventNames) {
      socket.on(name, (...args: unknown[]) => {
        const event = { name, args } as LiveEvent;
        this.#followers.forEach((follower) => follower.tell(event));
      });
    }
  }

  #join(socket: LiveSocket): void {
    socket.timeout(timeoutMs).emit('join', this.orgId, (error: Error | null, answer) => {
      // Its end is dealt with where it is told.
      if (socket !== this.#socket || !socket.connected) return;
      try {
        if (error) throw error;
        const { revision } = accepted(answer);
        this.#refusals = 0;
        this.#joined = true;
        this.#followers.forEach((follower) => follower.joined(revision));
      } catch (reason) {
        this.#refused(reason);
      }
    });
  }

  /** Every CONNECT, also that of a reconnection, carries the token of its moment. */
  async #authorise(give: (payload: { token: string }) => void): Promise<void> {
    const run = this.#run;
    try {
      const token = await this.#getToken();
      if (run !== this.#run) return;
      if (token === null) this.#end('disconnected');
      else {
        this.#carry(token);
        give({ token });
      }
    } catch (error) {
      if (run === this.#run) this.#refused(error);
    }
  }

  /** The handshake of the next connection carries it too, where the transport can. */
  #carry(token: string): void {
    this.#token = token;
    if (this.#socket) this.#socket.io.opts.extraHeaders = { authorization: `Bearer ${token}` };
  }

  /** Prolongs the connection by the newest token before the one that it has expires. */
  async #renew(): Promise<void> {
    const [run, socket] = [this.#run, this.#socket];
    if (socket === null || !this.#joined) return;
    try {
      const token = await this.#getToken();
      if (run !== this.#run || !socket.connected || token === this.#token) return;
      if (token === null) {
        this.#end('disconnected');
        return;
      }
      this.#carry(token);
      accepted(await socket.timeout(timeoutMs).emitWithAck('authenticate', token));
    } catch (error) {
      if (run === this.#run && socket.connected) console.error(error);
    }
  }

  /** The server, or the identity provider, would not have it. */
  #refused(error: unknown): void {
    console.error(error);
    this.#socket?.disconnect();
    this.#set('disconnected');
    this.#tryLater();
  }

  /** What socket.io does only for connections that break. */
  #tryLater(): void {
    const { reconnectionAttempts, reconnectionDelay, reconnectionDelayMax, randomizationFactor } =
      reconnection;
    if (this.#refusals >= reconnectionAttempts) {
      this.#end('reconnect_failed');
      return;
    }
    const delay = Math.min(reconnectionDelay * 2 ** this.#refusals, reconnectionDelayMax);
    const spread = 1 + randomizationFactor * (2 * Math.random() - 1);
    this.#refusals += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), delay * spread);
  }

  #lost(): void {
    if (!this.#joined) return;
    this.#joined = false;
    this.#followers.forEach((follower) => follower.lost?.());
  }

  #end(status: SocketStatus): void {
    this.#socket?.disconnect();
    this.#set(status);
    this.#followers.forEach((follower) => follower.ended?.());
  }

  #set(status: SocketStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#listeners.forEach((listener) => listener());
  }
}

/** One signature for the three events that ask for a list. */
interface Asking {
  emit: (name: string, orgId: string, answered: Answered) => void;
}

type Answered = (error: Error | null, answer: never) => void;
