// Measures the size of the release build, the time to the first response and the memory of an empty
// installation that is started again, and the memory and processor time at rest of an installation
// with the demo's data that is started again.
//
// node crates/server/benches/start.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, and the budgets.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { startDemo } from './demo.mjs';
import { freePort } from './free-port.mjs';
import { status, stop } from './process.mjs';
import { Bench, median } from './results.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const STARTS = 9;
/** Timeout of a start, in milliseconds. */
const START_TIMEOUT = 30_000;
/** Seconds without a request before and during a measurement at rest. */
const REST = 60;
const MEASURED = 120;
const bench = new Bench('start');

const isReady = (port) =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

/** Memory of a process in KiB: all that is resident, and the part of it that is not a file's. */
const memory = async ({ pid }) => ({ resident: await status(pid, 'VmRSS'), anonymous: await status(pid, 'RssAnon') });

/**
 * Processor time of each thread of a process, in seconds, and the number of times that it
 * was scheduled.
 */
async function threads({ pid }) {
  const found = new Map();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const [nanoseconds, , runs] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ').map(Number);
    found.set(thread, [nanoseconds / 1e9, runs]);
  }
  return found;
}

/**
 * Processor time of a process, in seconds, and its wake-ups, both per minute. No request is
 * sent meanwhile.
 */
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

/** A process that had no request for a minute: what it then uses a minute, and its memory. */
async function rested(child) {
  await setTimeout(1000 * REST);
  return { ...(await atRest(child)), ...(await memory(child)) };
}

/**
 * Measures a process that has written the demo's data and shows it: at rest, and again after a
 * request for its page, which it keeps up to date for ten minutes. Its data remain in `copy`.
 */
async function demoAtRest(folder, copy) {
  const { child, page } = await startDemo(binary, { folder });
  try {
    const unseen = await rested(child);
    const [data] = await readdir(folder);
    await cp(join(folder, data), copy, { recursive: true });
    const [response] = await once(get(page, { agent: false }), 'response');
    if (response.statusCode !== 200) throw new Error(`${page}: ${response.statusCode}`);
    await once(response.resume(), 'end');
    return { unseen, seen: await rested(child) };
  } finally {
    await stop(child);
  }
}

/**
 * Starts the server, uses it once it answers, and stops it. Returns the time to the first response,
 * in milliseconds, and what `use` returns.
 */
async function start(folder, use) {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(binary, ['serve'], {
    env: { ...process.env, ALLCLEAR_LISTEN: `127.0.0.1:${port}`, ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LOG: 'warn' },
    stdio: 'ignore',
  });
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - begun > START_TIMEOUT) throw new Error(`${binary} did not start`);
      await setTimeout(1);
    }
    const milliseconds = performance.now() - begun;
    return { milliseconds, ...(await use(child)) };
  } finally {
    await stop(child);
  }
}

/** Memory two seconds after the start. */
async function memoryOnceStarted(child) {
  await setTimeout(2000);
  return memory(child);
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-start-bench-'));
try {
  const [empty, demo, copy] = ['empty', 'demo', 'copy'].map((name) => join(folder, name));
  await mkdir(demo);
  const first = await start(empty, memoryOnceStarted);
  const later = [];
  for (let run = 0; run < STARTS; run += 1) later.push(await start(empty, memoryOnceStarted));
  const { size } = await stat(binary);
  bench.measurement('release build', { bytes: size, firstStartMilliseconds: first.milliseconds });
  bench.atMost('release build, MB', size / 1e6, 40);
  bench.atMost('start to the first response, milliseconds', median(later.map((run) => run.milliseconds)), 100);
  bench.atMost('memory of an empty installation, MiB', median(later.map((run) => run.resident)) / 1024, 40);
  const { unseen, seen } = await demoAtRest(demo, copy);
  const again = await start(copy, rested);
  for (const [what, used] of Object.entries({
    "at rest, the demo's data": again,
    'at rest, the process that wrote them': unseen,
    'at rest, this process after a request for its page': seen,
  })) {
    bench.measurement(what, {
      processorMillisecondsAMinute: Number((1000 * used.seconds).toFixed(1)),
      wakeUpsAMinute: Math.round(used.wakeUps),
      memoryMiB: Number((used.resident / 1024).toFixed(1)),
      anonymousMiB: Number((used.anonymous / 1024).toFixed(1)),
    });
  }
  bench.atMost("memory at rest, the demo's data, MiB", again.resident / 1024, 40);
  bench.atMost("processor time at rest, the demo's data, seconds a minute", again.seconds, 0.02);
} finally {
  await rm(folder, { recursive: true, force: true });
}
