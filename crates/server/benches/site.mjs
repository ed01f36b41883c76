// A server of the product, and an operator with an account.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { stop } from './process.mjs';

/** Limits that a bench would reach; 0 turns them off. */
const UNLIMITED = [
  'WRITES',
  'TEXT',
  'ORGANISATIONS',
  'CONNECTIONS',
  'STREAMS',
  'SOCKETS',
  'HANDSHAKES',
  'MAIL_ORGANISATION',
  'MAIL_INSTALLATION',
];

export class Site {
  agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });

  /** A running server: its process, and its origin. */
  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  /** Starts a server without limits in this folder, with further settings. */
  static async start(binary, folder, settings = {}) {
    const limits = Object.fromEntries(UNLIMITED.map((name) => [`ALLCLEAR_LIMIT_${name}`, '0']));
    const own = { ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LOG: 'error' };
    const env = { ...process.env, ...limits, ...own, ...settings };
    const child = spawn(resolve(binary), ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /^\s*Listens\s+(\S+)/.exec(line)?.[1];
      if (address) return new Site(child, `http://${address}`);
    }
    throw new Error(`${binary} did not start`);
  }

  /** Creates the first account, which is signed in. */
  async signUp() {
    const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
    const { headers } = await this.call('POST', '/identity/sign-up', {}, account);
    this.cookie = headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ');
  }

  /** Creates an organisation of the account. Returns its identifier. */
  async organisation(name) {
    const { data } = await this.call('POST', '/identity/organisations', { cookie: this.cookie }, { name });
    return data.id;
  }

  /** The authorization header of requests for an organisation. It is valid for five minutes. */
  async bearer(organisationId) {
    const { data } = await this.call('POST', '/identity/token', { cookie: this.cookie }, { organisationId });
    return { authorization: `Bearer ${data.token}` };
  }

  /**
   * Sends a request to the API, with a body of CSV if it is text, and of JSON otherwise. Returns
   * the headers and data of the response.
   */
  async call(method, path, headers, body) {
    const sent = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
    const type = { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json', 'content-length': Buffer.byteLength(sent) };
    const sending = request(`${this.url}/api/v1${path}`, {
      method,
      agent: this.agent,
      headers: { ...(body === undefined ? {} : type), ...headers },
    });
    sending.end(sent);
    const [response] = await once(sending, 'response');
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return { headers: response.headers, data: text ? JSON.parse(text).data : undefined };
  }

  async stop() {
    this.agent.destroy();
    await stop(this.child);
  }
}
