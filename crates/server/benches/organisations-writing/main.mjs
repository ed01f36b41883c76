// Incident updates of a hundred organisations beside those of one, over HTTP: on one node with SQLite and, on the servers that
// ALLCLEAR_TEST_POSTGRES_URL, ALLCLEAR_TEST_DURABLE_POSTGRES_URL and ALLCLEAR_TEST_REDIS_URL name, on one node and on three with
// PostgreSQL.
//
//   node crates/server/benches/organisations-writing/main.mjs [path of the allclear binary]
//
// Prints a JSON object a line: the figures, medians over the rounds, and the budgets. Needs wrk and psql. ROUNDS and SECONDS say how
// often and how long each is measured.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort } from '../free-port.mjs';
import { recreate } from '../postgres.mjs';
import { Site } from '../site.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 4);
const script = fileURLToPath(new URL('updates.lua', import.meta.url));
const { ALLCLEAR_TEST_POSTGRES_URL: postgres, ALLCLEAR_TEST_DURABLE_POSTGRES_URL: durable, ALLCLEAR_TEST_REDIS_URL: redis } = process.env;

/** Organisations that write at the same time. Both sides write to so many incidents. */
const MANY = 100;
/** Writers of each side: connections that send one update after the other. */
const sides = [
  { what: 'one organisation, 16 writers', isOne: true, writers: 16 },
  { what: `${MANY} organisations, 16 writers`, writers: 16 },
  { what: `${MANY} organisations, ${MANY} writers`, writers: MANY },
];
/** A tick of /proc/pid/stat, in seconds. */
const TICK = 0.01;

const print = (line) => console.log(JSON.stringify({ bench: 'organisations-writing', ...line }));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Processor time of a process, in seconds; undefined once it has ended. */
async function processor(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return Number.isNaN(user + system) ? undefined : TICK * (user + system);
}

/** One run of wrk against a node: updates a second, the slowest hundredth in milliseconds, and the processors that wrk took. */
async function write(node, targets, writers, first) {
  const parameters = ['-t1', `-c${writers}`, `-d${seconds}s`, '--latency', '-s', script, node.url, '--', targets, String(first)];
  const child = spawn('wrk', parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  let used = 0;
  while (child.exitCode === null) {
    used = (await processor(child.pid)) ?? used;
    await Promise.race([ended, setTimeout(100)]);
  }
  const wrong = /Socket errors.*|Non-2xx or 3xx responses.*/.exec(text)?.[0];
  if (wrong) throw new Error(wrong);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text);
  const p99 = Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]), p99, used: used / seconds };
}

/** The same on all nodes at the same time, with the writers spread over them. */
async function writeOnAll(nodes, targets, writers) {
  const share = (number) => Math.floor((writers + number) / nodes.length);
  const first = (number) => Math.floor((number * MANY) / nodes.length);
  const runs = await Promise.all(nodes.map((node, number) => write(node, targets, share(number), first(number))));
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  return { rate: sum('rate'), used: sum('used'), p99: Math.max(...runs.map(({ p99 }) => p99)) };
}

/** Writes a file of new incidents, spread over these organisations, for the script. */
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

/** Measures every side in turns; returns the median rate of each. */
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
    print({
      what: `${what}, ${title}`,
      writers,
      perSecond: of('rate', 0),
      p99Milliseconds: of('p99', 1),
      processorsOfTheClient: of('used', 2),
    });
  }
  return found.map((runs) => median(runs.map(({ rate }) => rate)));
}

function budgets(title, [, ...many], one, beside) {
  for (const [number, rate] of many.entries()) {
    const value = Number((rate / one).toFixed(3));
    const budget = `${sides[number + 1].what}, ${title}: updates a second, of ${beside}`;
    print({ budget, value, rule: 'at least', limit: 1, met: value >= 1 });
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

/** Settings of an empty database on this PostgreSQL server. */
const on = (server) => ({ ALLCLEAR_DATABASE_URL: recreate(server, 'organisations_writing') });

async function alone(title, settings) {
  const rates = await withNodes(title, 1, settings);
  budgets(title, rates, rates[0], 'one organisation');
  return rates[0];
}

await alone('SQLite', {});
if (durable) await alone('PostgreSQL, fsync on', on(durable));
if (postgres) {
  const one = await alone('PostgreSQL', on(postgres));
  if (redis) {
    const title = 'PostgreSQL and three nodes';
    const three = await withNodes(title, 3, { ...on(postgres), ALLCLEAR_REDIS_URL: redis });
    budgets(title, three, three[0], 'one organisation on three nodes');
    budgets(title, three, one, 'one organisation on one node');
  }
}
