// Measures incident updates of a hundred organisations over HTTP, and compares them with those of
// one organisation: on one node with SQLite and, on the servers that ALLCLEAR_TEST_POSTGRES_URL,
// ALLCLEAR_TEST_DURABLE_POSTGRES_URL and ALLCLEAR_TEST_REDIS_URL name, on one node and on three
// with PostgreSQL.
//
// node crates/server/benches/organisations-writing/main.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, which are medians over the rounds,
// and the budgets. Needs wrk and psql. ROUNDS and SECONDS are the number and the length
// of the measurements.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '../free-port.mjs';
import { recreate } from '../postgres.mjs';
import { processor } from '../process.mjs';
import { Bench, median } from '../results.mjs';
import { Site } from '../site.mjs';
import { wrk } from '../wrk.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 4);
const script = fileURLToPath(new URL('updates.lua', import.meta.url));
const { ALLCLEAR_TEST_POSTGRES_URL: postgres, ALLCLEAR_TEST_DURABLE_POSTGRES_URL: durable, ALLCLEAR_TEST_REDIS_URL: redis } = process.env;
const bench = new Bench('organisations-writing');

/** Number of organisations that write at the same time, and of the incidents of each side. */
const MANY = 100;
/**
 * What is compared with the first side. A writer is a connection that sends one update after
 * the other.
 */
const sides = [
  { what: 'one organisation, 16 writers', isOne: true, writers: 16 },
  { what: `${MANY} organisations, 16 writers`, writers: 16 },
  { what: `${MANY} organisations, ${MANY} writers`, writers: MANY },
];
/**
 * Runs wrk on all nodes at the same time, with the writers spread over them. `processors` is the
 * share of processors that wrk used.
 */
async function writeOnAll(nodes, targets, writers) {
  const before = await processor('self');
  const runs = await Promise.all(
    nodes.map(({ url }, number) => {
      const connections = Math.floor((writers + number) / nodes.length);
      const first = Math.floor((number * MANY) / nodes.length);
      return wrk(url, { connections, seconds, script, parameters: [targets, String(first)] });
    }),
  );
  const used = (await processor('self')).children - before.children;
  return {
    rate: runs.reduce((total, run) => total + run.requestsPerSecond, 0),
    p99: Math.max(...runs.map(({ p99Milliseconds }) => p99Milliseconds)),
    processors: used / seconds,
  };
}

/**
 * Creates incidents, spread over these organisations, and writes the file that names them
 * for `updates.lua`.
 */
async function fill(node, file, organisations) {
  const bearers = new Map();
  for (const { id } of organisations) bearers.set(id, await node.bearer(id));
  const lines = [];
  for (let number = 0; number < MANY; number += 1) {
    const { id, component } = organisations[number % organisations.length];
    const affected = [{ componentId: component, status: 'DEGRADED' }];
    const incident = { title: 'The API is slow', description: 'Requests take several seconds', components: affected };
    const { data } = await node.call('POST', '/incident/create', bearers.get(id), incident);
    lines.push(`${data.id} ${bearers.get(id).authorization.split(' ')[1]}\n`);
  }
  await writeFile(file, lines.join(''));
  return file;
}

/** Measures the sides in turns. Returns the median rate of each. */
async function measure(title, folder, nodes) {
  const [node] = nodes;
  await node.signUp();
  const organisations = [];
  for (let number = 0; number <= MANY; number += 1) {
    const id = await node.organisation(`Organisation ${number}`);
    const { data } = await node.call('POST', '/component/create', await node.bearer(id), { name: 'API' });
    organisations.push({ id, component: data.id });
  }
  const [one, ...many] = organisations;
  const found = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [number, { isOne, writers }] of sides.entries()) {
      const targets = await fill(node, join(folder, 'targets'), isOne ? [one] : many);
      found[number].push(await writeOnAll(nodes, targets, writers));
    }
  }
  for (const [number, { what, writers }] of sides.entries()) {
    const of = (key, digits) => Number(median(found[number].map((run) => run[key])).toFixed(digits));
    bench.measurement(`${what}, ${title}`, {
      writers,
      perSecond: of('rate', 0),
      p99Milliseconds: of('p99', 1),
      processorsOfTheClient: of('processors', 2),
    });
  }
  return found.map((runs) => median(runs.map(({ rate }) => rate)));
}

/**
 * Prints the budgets of the rates of many organisations, compared with `one`, the rate that
 * `beside` describes.
 */
function budgets(title, [, ...many], one, beside) {
  for (const [number, rate] of many.entries()) {
    bench.atLeast(`${sides[number + 1].what}, ${title}: updates a second, of ${beside}`, rate / one, 1);
  }
}

/** Starts nodes of one installation, measures, and stops them. */
async function withNodes(title, count, settings) {
  const folder = await mkdtemp(join(tmpdir(), 'allclear-writing-'));
  const nodes = [];
  try {
    const shared = { ALLCLEAR_PUBLIC_URL: `http://127.0.0.1:${await freePort()}`, ...settings };
    for (let number = 0; number < count; number += 1) nodes.push(await Site.start(binary, folder, shared));
    return await measure(title, folder, nodes);
  } finally {
    for (const node of nodes) await node.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates an empty database on this PostgreSQL server. Returns the settings of a node that uses it.
 */
const on = (server) => ({ ALLCLEAR_DATABASE_URL: recreate(server, 'organisations_writing') });

/** Measures one node. Returns the rate of one organisation. */
async function oneNode(title, settings) {
  const rates = await withNodes(title, 1, settings);
  budgets(title, rates, rates[0], 'one organisation');
  return rates[0];
}

await oneNode('SQLite', {});
if (durable) await oneNode('PostgreSQL, fsync on', on(durable));
if (postgres) {
  const one = await oneNode('PostgreSQL', on(postgres));
  if (redis) {
    const title = 'PostgreSQL and three nodes';
    const three = await withNodes(title, 3, { ...on(postgres), ALLCLEAR_REDIS_URL: redis });
    budgets(title, three, three[0], 'one organisation on three nodes');
    budgets(title, three, one, 'one organisation on one node');
  }
}
