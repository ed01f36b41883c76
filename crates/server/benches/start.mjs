// Size of the release build, time to its first response and memory of an empty installation that is started again, and memory and
// processor time of the demo at rest.
//
//   node crates/server/benches/start.mjs [path of the allclear binary]
//
// Prints a JSON object a line: the figures, and the budgets.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

import { freePort } from './free-port.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const starts = 9;
/** Seconds without a request before and during a measurement at rest. */
const REST = 60;
const MEASURED = 120;

const isReady = (port) =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

/** Memory of a process in KiB: all that is resident, and the part of it that is not a file's. */
async function memory({ pid }) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]);
  return { resident: of('VmRSS'), anonymous: of('RssAnon') };
}

/** Processor time of each thread of a process, in seconds, and how often it was given a processor. */
async function threads({ pid }) {
  const found = new Map();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const [nanoseconds, , runs] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ').map(Number);
    found.set(thread, [nanoseconds / 1e9, runs]);
  }
  return found;
}

/** Processor time, in seconds, and wake-ups of a process in a minute of this time without a request. */
async function atRest(child) {
  const before = await threads(child);
  await setTimeout(1000 * MEASURED);
  const minutes = MEASURED / 60;
  const sum = { seconds: 0, wakeUps: 0 };
  for (const [thread, [seconds, runs]] of await threads(child)) {
    const [secondsBefore, runsBefore] = before.get(thread) ?? [0, 0];
    sum.seconds += (seconds - secondsBefore) / minutes;
    sum.wakeUps += (runs - runsBefore) / minutes;
  }
  return sum;
}

/** The demo without a viewer, and again after a look at its page, which it follows for ten minutes. */
async function demoAtRest() {
  const child = spawn(binary, ['demo'], {
    env: { ...process.env, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_LOG: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = {};
    for await (const line of createInterface({ input: child.stdout })) {
      const [, name, text] = /^\s*(Listens|Public|Stop)\s+(\S+)/.exec(line) ?? [];
      if (name) lines[name] = text;
      if (name === 'Stop') break;
    }
    await setTimeout(1000 * REST);
    const unseen = { ...(await atRest(child)), ...(await memory(child)) };
    const [page] = await once(get(new URL(new URL(lines.Public).pathname, `http://${lines.Listens}`), { agent: false }), 'response');
    await once(page.resume(), 'end');
    await setTimeout(1000 * REST);
    const seen = { ...(await atRest(child)), ...(await memory(child)) };
    return { unseen, seen };
  } finally {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}

/** Starts the server; returns the time to the first response, and its memory two seconds later, in KiB. */
async function start(folder) {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(binary, ['serve'], {
    env: { ...process.env, ALLCLEAR_LISTEN: `127.0.0.1:${port}`, ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LOG: 'warn' },
    stdio: 'ignore',
  });
  while (!(await isReady(port))) await setTimeout(1);
  const milliseconds = performance.now() - begun;
  await setTimeout(2000);
  const { resident } = await memory(child);
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
  return { milliseconds, resident };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function budget(what, value, limit, digits = 1) {
  const rounded = Number(value.toFixed(digits));
  console.log(JSON.stringify({ bench: 'start', budget: what, value: rounded, rule: 'at most', limit, met: value <= limit }));
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-start-bench-'));
try {
  const first = await start(folder);
  const later = [];
  for (let run = 0; run < starts; run += 1) later.push(await start(folder));
  const { size } = await stat(binary);
  const measurements = { bytes: size, firstStartMilliseconds: first.milliseconds };
  console.log(JSON.stringify({ bench: 'start', what: 'release build', ...measurements }));
  budget('release build, MB', size / 1e6, 40);
  budget('start to the first response, milliseconds', median(later.map((run) => run.milliseconds)), 100);
  budget('memory of an empty installation, MiB', median(later.map((run) => run.resident)) / 1024, 40);
  const demo = await demoAtRest();
  for (const [when, { seconds, wakeUps, resident, anonymous }] of Object.entries(demo)) {
    const what = when === 'unseen' ? 'demo at rest' : 'demo at rest after a look at its page';
    const memoryMiB = Number((resident / 1024).toFixed(1));
    const ofNoFileMiB = Number((anonymous / 1024).toFixed(1));
    const wakeUpsAMinute = Math.round(wakeUps);
    const used = { processorMillisecondsAMinute: Number((1000 * seconds).toFixed(1)), wakeUpsAMinute };
    console.log(JSON.stringify({ bench: 'start', what, ...used, memoryMiB, ofNoFileMiB }));
  }
  budget('memory of the demo at rest, MiB', demo.unseen.resident / 1024, 40);
  budget('processor time of the demo at rest, seconds a minute', demo.unseen.seconds, 0.02, 4);
} finally {
  await rm(folder, { recursive: true, force: true });
}
