// Runs every bench and writes docs/benchmarks.md from what they print: a JSON object a line, of a
// measurement or of a budget.
//
//   node crates/bench-support/run.mjs [names of benches]
//
// With names, only those are run, and the page has the last results of the others (target/bench).
// Each result has its date, commit and processor.

import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

// The release build. Cargo puts another in its place when it builds a bench, and runs a bench in
// the folder of its package.
const binary = resolve('target/bench/allclear');
const lighthouse = '.just/lighthouse';

const benches = [
  {
    name: 'page',
    title: 'Public page, snapshot, history, feeds and Statuspage summary, beside nginx',
    how: `nginx serves the same bytes as each response from a file, with the same headers, as many workers as processors, sendfile and
an open-file cache. Both servers run at the same time; wrk requests them in turns on keep-alive connections, and the median of the
rounds counts. Allclear runs as in production: with request ids, security headers and metrics.`,
    command: ['node', 'crates/server/benches/page.mjs', binary],
  },
  {
    name: 'events',
    title: 'Event stream: fan-out, and everything at once',
    how: `An operator changes a component over HTTP; the time runs until the last viewer has read the event. The peer is the
simplest server of Node's own \`http\` that writes the same event to each viewer, under the same client. At the end, 10,000 viewers,
and then 50,000, hold streams while wrk requests the page and an operator saves. Where the system lets a process open fewer files, the
part with 50,000 viewers is left out.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'events', '--', binary],
  },
  {
    name: 'reconnects',
    title: 'A restart with 20,000 viewers',
    how: `One client holds the event streams and behaves like browsers. The server is stopped, and started again at its port after five
seconds. A component changes meanwhile, and every quarter of a second until all viewers are connected. From one second after readiness,
the page is requested 250 times a second; the time of a request starts when it is due. Where the system lets a process open fewer files, as
many viewers as it allows are measured.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'reconnects', '--', binary],
  },
  {
    name: 'sockets',
    title: "Socket: one event to many viewers, beside Node's socket.io",
    how: `An operator changes a component over HTTP; the time runs until the last viewer has read the event on its WebSocket. The
peer is the \`socket.io\` package in its default settings, which sends an event of the same size to a room of as many viewers, under
the same client. A stalled viewer has stopped reading.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'sockets', '--', binary],
  },
  {
    name: 'fanout',
    title: "Socket: a burst of events, beside Node's socket.io",
    how: `Both servers send many events of 200 bytes to a room of a thousand viewers on WebSockets, under the same client. Ours is the
library for sockets of the product without the rest of it.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'fanout'],
  },
  {
    name: 'writes',
    title: 'Incident updates, beside bare transactions',
    how: `Sixteen operators record updates, each one after the other, through the service. The peer stores the same rows with the
same sync setting (SQLite: WAL, synchronous FULL) in prepared statements and no product around them; the better of one
connection and one each counts. "PostgreSQL" is the throwaway server of the tests: it does not wait for its disk, neither for
Allclear nor for the peer. The server with fsync waits for it at every commit, as in production. There, the updates of one organisation
are written one after the other.`,
    command: ['env', 'POSTGRES_FSYNC=on', '.ci/with-servers', 'cargo', 'bench', '--locked', '--workspace', '--bench', 'writes'],
  },
  {
    name: 'organisations-writing',
    title: 'A hundred organisations that write',
    how: `wrk records incident updates over HTTP, in turns on incidents of one organisation and of a hundred. A writer is a connection
that sends one update after the other. Three nodes share PostgreSQL and Redis, and have a third of the writers each. All servers and
the client share the machine; PostgreSQL does not wait for its disk, except with fsync on.`,
    command: ['env', 'POSTGRES_FSYNC=on', '.ci/with-servers', 'node', 'crates/server/benches/organisations-writing/main.mjs', binary],
  },
  {
    name: 'growth',
    title: 'A hundred thousand old incidents',
    how: `The same work beside 100 and beside 100,000 old incidents, in turns.`,
    command: ['.ci/with-servers', 'cargo', 'bench', '--locked', '--workspace', '--bench', 'growth'],
  },
  {
    name: 'changes',
    title: 'A million old status changes',
    how: `The same work on an organisation with 100 components, beside no more changes than one of each component and beside
1,000,000 that are older than the 90 days of the bars, in turns.`,
    command: ['.ci/with-servers', 'cargo', 'bench', '--locked', '--workspace', '--bench', 'changes'],
  },
  {
    name: 'organisations',
    title: 'Ten thousand organisations',
    how: `Two installations, one with ten organisations and one with 10,000, of 20 components each, are started in turns. The pages that
are drawn are spread over all organisations.`,
    command: ['.ci/with-servers', 'cargo', 'bench', '--locked', '--workspace', '--bench', 'organisations', '--', binary],
  },
  {
    name: 'audit',
    title: 'A million items of the audit log',
    how: `A page of 50 items of the audit log of an organisation with 1,000 items and of one with 1,000,000, in turns. On PostgreSQL both
sides read through an index (4 buffers beside 1,000 items, 5 beside 1,000,000, 10 µs), but beside many items PostgreSQL plans the
query again for each page, 40 µs: a plan for every organisation, actor and limit would be a guess, and a wrong one reads the items of
all organisations. Beside few items the guess costs nothing, and the plan is kept. The next section has the whole call.`,
    command: ['.ci/with-servers', 'cargo', 'bench', '--locked', '--workspace', '--bench', 'audit'],
  },
  {
    name: 'audit-calls',
    title: 'The audit log by HTTP beside a million items',
    how: `The same pages as whole calls: the token is verified, the page read and written as JSON. Each side is a server with one
organisation.`,
    command: ['.ci/with-servers', 'node', 'crates/server/benches/audit.mjs', binary],
  },
  {
    name: 'deliveries',
    title: 'Messages to ten thousand subscribers and a thousand webhooks',
    how: `An operator records updates; each is sent to every subscriber, over SMTP and over HTTP, to sinks in the same process, which
accept everything. Then a message of one organisation while many of another one wait, and messages to webhooks of which one
never responds.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'deliveries'],
  },
  {
    name: 'soak',
    title: 'Half an hour of mixed load',
    how: `Readers of page, snapshot and history, viewers that come and go on 150 event streams and 20 sockets, an operator that records an
update every 400 ms, and 25 deliveries of each update to sinks in the client's process. The content of the page does not grow meanwhile.
Memory at a moment is a median of 20 seconds. The level before the load is measured after a shorter load and a rest.`,
    command: ['node', 'crates/server/benches/soak/main.mjs', binary],
  },
  {
    name: 'enumeration',
    title: 'Known and unknown addresses',
    how: `Sign-ups, sign-ins and requests for a new password, in turns with the address of an account and with unknown ones. The
distance between the two is what their times reveal about the address.`,
    command: ['cargo', 'bench', '--locked', '--workspace', '--bench', 'enumeration'],
  },
  {
    name: 'start',
    title: 'Start, memory and size, and a server at rest',
    how: `The release build on an installation that exists, started again. A server at rest has had no request for a minute, neither
before the measurement nor in its two minutes.`,
    command: ['node', 'crates/server/benches/start.mjs', binary],
  },
  {
    name: 'peers',
    title: 'Beside other self-hosted status pages',
    how: `Allclear, Vigil (from crates.io, in Rust) and Uptime Kuma (from npm, in Node) show the same ten components, one of them down,
and one open incident. All run at once; wrk requests their pages in turns, and a browser with an empty cache opens them in
turns; the medians count. The headline is the text about all components; its time is that of its first paint. The slow connection
is Lighthouse's of a mobile phone. Bytes of a first visit are those of two seconds, with headers. Vigil has a worker for each
processor and no notifiers; Uptime Kuma runs as in production, with SQLite. What differs: Allclear also draws bars of 90 days and keeps
the page live by an event stream. Vigil keeps no history, and its script requests the status every 20 seconds. Uptime Kuma caches a page
for five minutes; its page is empty until its script has the content, which is measured separately, with the last fifty heartbeats of each
component. Neither peer compresses its pages. The package of Uptime Kuma on npm is a development build of version 2.`,
    command: ['node', 'crates/server/benches/peers.mjs', binary],
  },
  {
    name: 'lighthouse',
    title: 'Lighthouse',
    how: `The public pages in Lighthouse's mobile setting with its throttling; the operators' screens in its desktop setting. The
median of several looks counts.`,
    command: ['node', 'apps/web/bench/lighthouse.mjs', binary, lighthouse],
  },
];

const kept = (name) => `target/bench/${name}.jsonl`;

/** Runs a bench, and stores its lines, the first of which says when it ran. */
async function run({ name, command: [program, ...parameters] }) {
  console.error(`— ${name}`);
  const at = {
    date: new Date().toISOString().slice(0, 10),
    commit: version('git', 'rev-parse', '--short', 'HEAD'),
    processor: cpus()[0]?.model.trim(),
  };
  // A measured database is on a disk.
  const env = { ...process.env, TEST_FOLDER: tmpdir() };
  const child = spawn(program, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    console.log(line);
    lines.push(line);
  }
  if ((await ended) !== 0) console.error(`${name} did not come to its end`);
  await writeFile(kept(name), [JSON.stringify(at), ...lines].map((line) => `${line}\n`).join(''));
}

/** When a bench ran last, and what it printed; undefined if it has never run. */
async function found({ name }) {
  const text = await readFile(kept(name), 'utf8').catch(() => undefined);
  const [at, ...lines] = text?.split('\n').filter(Boolean).map((line) => JSON.parse(line)) ?? [];
  return at && { at, lines };
}

function number(value) {
  if (typeof value !== 'number') return Array.isArray(value) ? value.join('; ') || 'none' : String(value);
  return Number(value.toPrecision(value >= 1000 ? 6 : 3)).toLocaleString('en');
}

function budgets(lines) {
  const rows = lines.filter((line) => line.budget);
  if (rows.length === 0) return [];
  return [
    '| budget | measured | limit | met |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.budget} | ${number(row.value)} | ${row.rule} ${number(row.limit)} | ${row.met ? 'yes' : '**no**'} |`),
    '',
  ];
}

/** Nested figures, flat. */
const flat = (measurements, before = '') =>
  Object.entries(measurements).flatMap(([name, value]) =>
    value && typeof value === 'object' && !Array.isArray(value) ? flat(value, `${before}${name} `) : [[before + name, value]],
  );

function measurements(lines) {
  const rows = lines.filter((line) => !line.budget);
  return rows.map(({ bench, what, ...rest }) => `- ${what}: ${flat(rest).map(([name, value]) => `${name} ${number(value)}`).join(', ')}`);
}

function version(program, ...parameters) {
  const { stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  return `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n')[0];
}

await mkdir('target/bench', { recursive: true });
const asked = process.argv.slice(2);
const chosen = benches.filter(({ name }) => asked.length === 0 || asked.includes(name));
if (chosen.length > 0) await copyFile('target/release/allclear', binary);
for (const bench of chosen) await run(bench);

const memory = Math.round(totalmem() / 2 ** 30);
const page = [
  '# Benchmarks',
  '',
  'Written by `./just bench`. Peers and limits run beside us in the same run on the same machine, so the ratios say more than',
  'the rates. The load generator shares the processors with what it measures.',
  '',
  `- Where: ${availableParallelism()} processors, ${memory} GiB, a virtual machine`,
  `- Beside: ${version('nginx', '-v').replace('nginx version: ', '')}, Node ${process.version}, ${version('rustc', '--version')}`,
  '',
];
for (const bench of benches) {
  const result = await found(bench);
  page.push(`## ${bench.title}`, '', bench.how, '');
  if (!result) {
    page.push('Not measured.', '');
    continue;
  }
  const { at, lines } = result;
  page.push(`Measured on ${at.date}, at \`${at.commit}\`, on ${at.processor}.`, '', ...budgets(lines), ...measurements(lines), '');
}
await writeFile('docs/benchmarks.md', `${page.join('\n').replace(/\n{3,}/g, '\n\n').trim()}\n`);
