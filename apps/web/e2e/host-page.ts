import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A page of another site. */
export interface HostPage {
  url: string;
  close: () => Promise<void>;
}

/**
 * Serves a body, and a script at `/script.js`, from an origin of its own under a content
 * security policy.
 */
export async function hostPage(body: string, policy: string, script?: string): Promise<HostPage> {
  const server = createServer((request, response) => {
    if (request.url === '/script.js' && script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script);
      return;
    }
    if (request.url !== '/') {
      response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    });
    response.end(
      `<!doctype html><html lang="en"><title>A shop</title><body><h1>A shop</h1>${body}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
