// Measures a page of the audit log by HTTP: the whole request, in turns in an organisation with 1,000 items and in one
// with 1,000,000. It uses the PostgreSQL server that ALLCLEAR_TEST_POSTGRES_URL names, and needs psql.
//
// node crates/server/benches/audit.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, and the budgets.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const binary = process.argv[2] ?? 'target/release/allclear';
const server = process.env.ALLCLEAR_TEST_POSTGRES_URL;
const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 300;
/** Number of items of a page. */
const LIMIT = 50;
/** Number of different actors and things, each with the same share of the items. */
const KINDS = 10;
/** Maximum cost of a page among many items, as a multiple of the cost among few. */
const BUDGET = 1.2;

/** Items of changes that were made a minute ago and earlier, one per millisecond. */
function items(organisation, count) {
  const first = Date.now() - 60_000 - count;
  return `INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
    target_name, state_before, state_after)
    SELECT (lpad(to_hex(${first} + n), 12, '0') || '70008000000000000000')::uuid, '${organisation}', to_timestamp((${first} + n) / 1000.0),
    'USER', 'user_' || (n % ${KINDS}), 'Ann', 'component.updated', 'COMPONENT', 'thing_' || (n % ${KINDS}), 'API',
    '{"status":"OPERATIONAL"}', '{"status":"DEGRADED"}' FROM generate_series(1, ${count}) n; ANALYZE;`;
}

/** A server whose only organisation has this many items more than it made itself. */
class Side {
  agent = new Agent({ keepAlive: true });

  async start(folder, database, count) {
    const env = { ...process.env, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LOG: 'off', ALLCLEAR_DATABASE_URL: database };
    this.child = spawn(binary, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: this.child.stdout })) {
      this.url = /^\s*Listens\s+(\S+)/.exec(line)?.[1].replace(/^(?!http)/, 'http://');
      if (this.url) break;
    }
    const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
    const { headers } = await this.call('POST', '/identity/sign-up', {}, account);
    this.cookie = headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ');
    const founded = await this.call('POST', '/identity/organisations', { cookie: this.cookie }, { name: 'Acme' });
    this.organisation = JSON.parse(founded.text).data.id;
    execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', database, '-c', items(this.organisation, count)]);
    const time = Date.now() - 60_000 - Math.floor(count / 2);
    const hex = time.toString(16).padStart(12, '0');
    this.middle = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
  }

  /** The authorization header of a request. A token is valid for five minutes. */
  async bearer() {
    const token = await this.call('POST', '/identity/token', { cookie: this.cookie }, { organisationId: this.organisation });
    return { authorization: `Bearer ${JSON.parse(token.text).data.token}` };
  }

  async call(method, path, headers, body) {
    const sent = body ? JSON.stringify(body) : '';
    const type = body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) } : {};
    const asking = request(`${this.url}/api/v1${path}`, { method, agent: this.agent, headers: { ...headers, ...type } });
    asking.end(sent);
    const [response] = await once(asking, 'response');
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return { headers: response.headers, text };
  }

  async stop() {
    if (!this.child) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    this.agent.destroy();
    await gone;
  }
}

const pages = {
  newest: () => '',
  middle: (side) => `&before=${side.middle}`,
  "a person's": () => '&actorId=user_3',
  "a thing's middle": (side) => `&targetId=thing_3&before=${side.middle}`,
};

/** Time of a request that nothing else disturbs: the first tenth. */
const undisturbed = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)];

async function compare(few, many) {
  for (const [name, query] of Object.entries(pages)) {
    const sides = [few, many].map((side) => ({ side, path: `/audit?limit=${LIMIT}${query(side)}`, times: [] }));
    for (const it of sides) it.headers = await it.side.bearer();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { side, path, headers, times } of sides) {
        const begun = performance.now();
        const { text } = await side.call('GET', path, headers);
        times.push(performance.now() - begun);
        if (round === 0 && JSON.parse(text).data.length !== LIMIT) throw new Error(`${path}: ${text}`);
      }
    }
    const [beside, besideMany] = sides.map(({ times }) => 1000 * undisturbed(times));
    const what = `${name} ${LIMIT} items by HTTP, PostgreSQL`;
    const figures = { microsecondsBesideFew: Math.round(beside), microsecondsBesideMany: Math.round(besideMany) };
    console.log(JSON.stringify({ bench: 'audit-calls', what, ...figures }));
    const value = Number((besideMany / beside).toFixed(3));
    const budget = `${what}: beside ${MANY} items, of beside ${FEW}`;
    console.log(JSON.stringify({ bench: 'audit-calls', budget, value, rule: 'at most', limit: BUDGET, met: value <= BUDGET }));
  }
}

/** Creates an empty database, and returns its URL. */
function recreate(name) {
  for (const statement of [`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`]) {
    execFileSync('psql', ['-q', `${server}/postgres`, '-c', statement]);
  }
  return `${server}/${name}`;
}

const folders = [];
const sides = [new Side(), new Side()];
try {
  for (const [number, count] of [FEW, MANY].entries()) {
    const folder = await mkdtemp(join(tmpdir(), 'allclear-audit-bench-'));
    folders.push(folder);
    await sides[number].start(folder, recreate(`audit_calls_${count}`), count);
  }
  await compare(...sides);
} finally {
  for (const side of sides) await side.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}
