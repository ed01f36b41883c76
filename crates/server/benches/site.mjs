// A server of the product with an operator, and what its process uses.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

/** Quotas and limits that a bench would reach. */
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

  /** Starts a server in this folder, with these settings in addition. */
  static async start(binary, folder, settings = {}) {
    const site = new Site();
    const limits = Object.fromEntries(UNLIMITED.map((name) => [`ALLCLEAR_LIMIT_${name}`, '0']));
    const own = { ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LOG: 'error' };
    const env = { ...process.env, ...limits, ...own, ...settings };
    site.child = spawn(binary, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: site.child.stdout })) {
      const address = /^\s*Listens\s+(\S+)/.exec(line)?.[1];
      if (!address) continue;
      site.url = `http://${address}`;
      return site;
    }
    throw new Error(`${binary} did not start`);
  }

  /** Creates the first account, which is signed in. */
  async signUp() {
    const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
    const { headers } = await this.call('POST', '/identity/sign-up', {}, account);
    this.cookie = headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ');
  }

  /** Creates an organisation of the account; returns its identifier. */
  async organisation(name) {
    const { data } = await this.call('POST', '/identity/organisations', { cookie: this.cookie }, { name });
    return data.id;
  }

  /** The header of an operator's requests, which is valid for five minutes. */
  async bearer(organisationId) {
    const { data } = await this.call('POST', '/identity/token', { cookie: this.cookie }, { organisationId });
    return { authorization: `Bearer ${data.token}` };
  }

  /** Sends a request to the API; returns its headers and its data. */
  async call(method, path, headers, body) {
    const sent = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
    const type = { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json', 'content-length': Buffer.byteLength(sent) };
    const asking = request(`${this.url}/api/v1${path}`, {
      method,
      agent: this.agent,
      headers: { ...(body === undefined ? {} : type), ...headers },
    });
    asking.end(sent);
    const [response] = await once(asking, 'response');
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return { headers: response.headers, data: text ? JSON.parse(text).data : undefined };
  }

  /** Resident memory, in KiB. */
  async memory() {
    return this.#status(/VmRSS:\s+(\d+)/);
  }

  async threads() {
    return this.#status(/Threads:\s+(\d+)/);
  }

  /** Number of open files. */
  async files() {
    return (await readdir(`/proc/${this.child.pid}/fd`)).length;
  }

  async #status(field) {
    return Number(field.exec(await readFile(`/proc/${this.child.pid}/status`, 'utf8'))[1]);
  }

  async stop() {
    this.agent.destroy();
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
  }
}
