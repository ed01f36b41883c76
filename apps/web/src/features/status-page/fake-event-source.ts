import { vi } from 'vitest';

/** Replaces the browser's EventSource, which jsdom lacks, in tests. */
export class FakeEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: FakeEventSource[] = [];

  readonly url: string;
  readyState = FakeEventSource.CONNECTING;
  #lastEventId = '';

  constructor(url: string) {
    super();
    this.url = url;
    FakeEventSource.all.push(this);
  }

  static install(): void {
    FakeEventSource.all = [];
    vi.stubGlobal('EventSource', FakeEventSource);
  }

  static get last(): FakeEventSource {
    const last = FakeEventSource.all.at(-1);
    if (!last) throw new Error('Nobody has opened an event stream');
    return last;
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }

  open(): void {
    this.readyState = FakeEventSource.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  /** Without an id, an event has that of the event before it. */
  send(name: string, args: unknown[], id = this.#lastEventId): void {
    this.#lastEventId = id;
    const data = JSON.stringify(args);
    this.dispatchEvent(new MessageEvent(name, { data, lastEventId: id }));
  }

  /** The connection is lost; the browser retries. */
  break(): void {
    this.readyState = FakeEventSource.CONNECTING;
    this.dispatchEvent(new Event('error'));
  }

  /** The server responds with an error; the browser does not retry. */
  giveUp(): void {
    this.readyState = FakeEventSource.CLOSED;
    this.dispatchEvent(new Event('error'));
  }
}
