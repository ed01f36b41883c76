import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';

/** A message to a webhook, or to a channel of a chat. */
export interface ReceivedMessage {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Takes the messages to webhooks and chats on a free port. */
export class Receiver {
  readonly url: string;
  readonly #server: Server;
  readonly #messages: ReceivedMessage[];

  private constructor(server: Server, messages: ReceivedMessage[]) {
    this.#server = server;
    this.#messages = messages;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<Receiver> {
    const messages: ReceivedMessage[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => (body += piece));
      request.on('end', () => {
        messages.push({ path: request.url ?? '', headers: request.headers, body });
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server, messages);
  }

  /** Waits for a number of messages to a path and returns them, oldest first. */
  async received(path: string, count: number): Promise<ReceivedMessage[]> {
    const messages = () => this.#messages.filter((message) => message.path === path);
    await expect.poll(() => messages().length, { message: `messages to ${path}` }).toBe(count);
    return messages();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The link to a screen in a message of any channel. */
export function linkTo(screen: string, { body }: ReceivedMessage): string {
  const links = body.match(/https?:\/\/[^\s"<>|\\)]+/g) ?? [];
  const link = links.find((each) => new URL(each).pathname === screen);
  expect(link, body).toBeDefined();
  // Slack's markup escapes it.
  return (link ?? '').replaceAll('&amp;', '&');
}
