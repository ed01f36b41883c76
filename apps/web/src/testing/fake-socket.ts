type Listener = (...args: never[]) => void;

class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();

  on(name: string, listener: Listener): this {
    this.#listeners.set(name, (this.#listeners.get(name) ?? new Set()).add(listener));
    return this;
  }

  removeAllListeners(): this {
    this.#listeners.clear();
    return this;
  }

  fire(name: string, ...args: unknown[]): void {
    this.#listeners.get(name)?.forEach((listener) => listener(...(args as never[])));
  }
}

class FakeManager extends Emitter {
  readonly engine = new Emitter();
  readonly opts: Record<string, unknown>;

  constructor(opts: Record<string, unknown>) {
    super();
    this.opts = opts;
  }
}

interface SentEvent {
  name: string;
  args: unknown[];
  acknowledge: (error: Error | null, value?: unknown) => void;
}

type Authorise = (give: (payload: { token: string }) => void) => void;

/** Replaces the socket of socket.io-client in tests. */
export class FakeSocket extends Emitter {
  static all: FakeSocket[] = [];

  readonly io: FakeManager;
  connected = false;
  active = false;
  /** Number of calls of `connect`. */
  attempts = 0;
  /** The payloads of CONNECT. */
  payloads: { token: string }[] = [];
  #pending: SentEvent[] = [];

  constructor(opts: Record<string, unknown>) {
    super();
    this.io = new FakeManager(opts);
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    const last = FakeSocket.all.at(-1);
    if (!last) throw new Error('No socket has been created');
    return last;
  }

  connect(): this {
    this.attempts += 1;
    this.active = true;
    return this;
  }

  disconnect(): this {
    this.active = false;
    this.#close('io client disconnect');
    return this;
  }

  timeout() {
    return {
      emit: (name: string, ...args: unknown[]) => {
        const acknowledge = args.pop() as SentEvent['acknowledge'];
        this.#pending.push({ name, args, acknowledge });
      },
      emitWithAck: (name: string, ...args: unknown[]) =>
        new Promise((resolve, reject) => {
          const acknowledge: SentEvent['acknowledge'] = (error, value) =>
            error ? reject(error) : resolve(value);
          this.#pending.push({ name, args, acknowledge });
        }),
    };
  }

  /** The events that were sent and are not acknowledged yet. */
  get pending(): unknown[][] {
    return this.#pending.map(({ name, args }) => [name, ...args]);
  }

  /** Acknowledges the oldest event of that name. */
  acknowledge(name: string, value: unknown): void {
    const index = this.#pending.findIndex((sent) => sent.name === name);
    const [sent] = index === -1 ? [] : this.#pending.splice(index, 1);
    if (!sent) throw new Error(`No client has sent ${name}`);
    sent.acknowledge(null, value);
  }

  /** The transport is open: the client sends its token. */
  async open(): Promise<void> {
    const payload = await new Promise<{ token: string }>((resolve) => {
      (this.io.opts.auth as Authorise)(resolve);
    });
    this.payloads.push(payload);
  }

  /** The server accepts the client. */
  async accept(): Promise<void> {
    await this.open();
    this.connected = true;
    this.fire('connect');
  }

  /** The server accepts the client, also into the room of the organisation. */
  async join(revision = 1): Promise<void> {
    await this.accept();
    this.acknowledge('join', { revision });
  }

  /** The server rejects CONNECT. */
  refuse(message: string): void {
    this.active = false;
    this.fire('connect_error', new Error(message));
  }

  /** The transport cannot be opened; the client retries. */
  fail(): void {
    this.fire('connect_error', new Error('xhr poll error'));
  }

  /** The transport is lost; the client reconnects. */
  lose(): void {
    this.io.fire('close', 'transport close');
    this.#close('transport close');
  }

  /** The server sends the disconnect packet; the client does not reconnect. */
  revoke(): void {
    this.active = false;
    this.#close('io server disconnect');
  }

  #close(reason: string): void {
    if (!this.connected) return;
    this.connected = false;
    const open = this.#pending.splice(0);
    for (const { acknowledge } of open) acknowledge(new Error('socket has been disconnected'));
    this.fire('disconnect', reason);
  }
}

/** Replaces the package's `io`. */
export function io(opts: Record<string, unknown>): FakeSocket {
  return new FakeSocket(opts);
}
