import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { makeCertificate } from './clerk-certificate';
import { clerkJs, version } from './clerk-js';
import { ClerkInstance } from './clerk-instance';
import { route, type Call } from './clerk-routes';

/**
 * A development instance's host (docs: "Managing environments"); browsers resolve it to
 * this machine.
 */
const host = 'able-loom-1.clerk.accounts.dev';

/**
 * A local Clerk: the parts of its frontend API and backend API that the product uses,
 * with the scripts that Clerk itself serves. Its responses follow Clerk's published
 * source and documentation.
 */
export class ClerkStandIn {
  readonly instance: ClerkInstance;
  /** For clients that do not resolve the host's name to this machine. */
  readonly url: string;
  /** The certificate that clients must trust. */
  readonly certificate: string;
  readonly #server: Server;

  private constructor(server: Server, certificate: string, instance: ClerkInstance) {
    const { port } = server.address() as AddressInfo;
    this.#server = server;
    this.certificate = certificate;
    this.instance = instance;
    this.url = `https://127.0.0.1:${port}`;
  }

  /** Chromium arguments that resolve the host. */
  get browserArgument(): string {
    return `--host-resolver-rules=MAP ${host} ${new URL(this.url).host}`;
  }

  static async start(): Promise<ClerkStandIn> {
    const scripts = await clerkJs();
    const { key, cert } = makeCertificate();
    const server = createServer({ key, cert });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const instance = new ClerkInstance(host);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      respond(instance, scripts, request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    return new ClerkStandIn(server, cert, instance);
  }

  async stop(): Promise<void> {
    const gone = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await gone;
  }
}

async function respond(
  instance: ClerkInstance,
  scripts: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', instance.issuer);
  // Credentials go across origins: the origin has to be named (Fetch Standard, section 3.3.3).
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Cache-Control', 'no-store');
  if (url.pathname.startsWith('/npm/')) {
    await sendScript(scripts, url.pathname, response);
    return;
  }
  const call = await read(url, request);
  const { status, body } = route(instance, call);
  response.setHeader('Content-Type', 'application/json');
  response.writeHead(status).end(JSON.stringify(body));
}

/**
 * `/npm/@clerk/clerk-js@5/dist/…` (packages/shared/src/loadClerkJsScript.ts); the chunks ask for
 * the exact version.
 */
async function sendScript(scripts: string, path: string, response: ServerResponse): Promise<void> {
  const [, asked] = /^\/npm\/@clerk\/clerk-js@([\d.]+)\/dist\/[\w.-]+\.js$/.exec(path) ?? [];
  if (asked !== '5' && asked !== version) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('Content-Type', 'text/javascript');
  response.end(await readFile(join(scripts, basename(path))));
}

/**
 * Calls are forms; a method other than GET and POST is named in the query
 * (packages/clerk-js/src/core/fapiClient.ts).
 */
async function read(url: URL, request: IncomingMessage): Promise<Call> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return {
    method: url.searchParams.get('_method') ?? request.method ?? 'GET',
    path: url.pathname,
    body: new URLSearchParams(Buffer.concat(pieces).toString()),
    origin: request.headers.origin ?? null,
    // A browser of a development instance is known by this
    // (packages/clerk-js/src/core/auth/devBrowser.ts).
    browser: url.searchParams.get('__clerk_db_jwt'),
    secretKey: request.headers.authorization?.replace('Bearer ', '') ?? null,
  };
}
