import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network in front of a server, which a test can break. */
export class TcpProxy {
  readonly #listener: Server;
  readonly #connections = new Set<Socket>();
  #isBroken = false;

  private constructor(host: string, port: number) {
    this.#listener = createServer((client) => this.#forward(client, connect(port, host)));
  }

  static async before(host: string, port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(host, port);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  /** The port of 127.0.0.1 that leads to the server. */
  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Connections end, and new ones end at once. */
  break(): void {
    this.#isBroken = true;
    for (const connection of this.#connections) connection.destroy();
  }

  restore(): void {
    this.#isBroken = false;
  }

  async close(): Promise<void> {
    this.break();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #forward(client: Socket, server: Socket): void {
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#connections.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        this.#connections.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    if (this.#isBroken) client.destroy();
  }
}
