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
  readonly opts: Record<string, unknown>;

  constructor(opts: Record<string, unknown>) {
    super();
    this.opts = opts;
  }
}

interface Question {
  name: string;
  args: unknown[];
  answer: (error: Error | null, answer?: unknown) => void;
}

type Authorise = (give: (payload: { token: string }) => void) => void;

/** The socket.io-client's socket in the hands of a test. */
export class FakeSocket extends Emitter {
  static all: FakeSocket[] = [];

  readonly io: FakeManager;
  connected = false;
  active = false;
  /** How often `connect` was called. */
  attempts = 0;
  /** The payloads of CONNECT. */
  payloads: { token: string }[] = [];
  #questions: Question[] = [];

  constructor(opts: Record<string, unknown>) {
    super();
    this.io = new FakeManager(opts);
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    const last = FakeSocket.all.at(-1);
    if (!last) throw new Error('Nobody has made a socket');
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
        const answer = args.pop() as Question['answer'];
        this.#questions.push({ name, args, answer });
      },
      emitWithAck: (name: string, ...args: unknown[]) =>
        new Promise((resolve, reject) => {
          const answer: Question['answer'] = (error, value) =>
            error ? reject(error) : resolve(value);
          this.#questions.push({ name, args, answer });
        }),
    };
  }

  /** What was sent and is not answered yet. */
  get asked(): unknown[][] {
    return this.#questions.map(({ name, args }) => [name, ...args]);
  }

  /** Answers the oldest event of that name. */
  answer(name: string, value: unknown): void {
    const index = this.#questions.findIndex((question) => question.name === name);
    const [question] = index === -1 ? [] : this.#questions.splice(index, 1);
    if (!question) throw new Error(`Nobody has sent ${name}`);
    question.answer(null, value);
  }

  /** The transport is there: the client says who it is. */
  async open(): Promise<void> {
    const payload = await new Promise<{ token: string }>((resolve) => {
      (this.io.opts.auth as Authorise)(resolve);
    });
    this.payloads.push(payload);
  }

  /** The server lets the client in. */
  async accept(): Promise<void> {
    await this.open();
    this.connected = true;
    this.fire('connect');
  }

  /** The server lets the client in, and into the organisation's room. */
  async join(revision = 1): Promise<void> {
    await this.accept();
    this.answer('join', { revision });
  }

  /** The server answers CONNECT by an error. */
  refuse(message: string): void {
    this.active = false;
    this.fire('connect_error', new Error(message));
  }

  /** The transport cannot be had; the client tries again by itself. */
  fail(): void {
    this.fire('connect_error', new Error('xhr poll error'));
  }

  /** The transport is lost; the client comes back by itself. */
  lose(): void {
    this.#close('transport close');
  }

  /** The server sends the disconnect packet; the client does not come back by itself. */
  revoke(): void {
    this.active = false;
    this.#close('io server disconnect');
  }

  #close(reason: string): void {
    if (!this.connected) return;
    this.connected = false;
    const open = this.#questions.splice(0);
    for (const { answer } of open) answer(new Error('socket has been disconnected'));
    this.fire('disconnect', reason);
  }
}

/** In the place of the package's own. */
export function io(opts: Record<string, unknown>): FakeSocket {
  return new FakeSocket(opts);
}
