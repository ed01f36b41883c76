// Measures the size of the release build, the time to the first response and the memory of an empty installation that is started again,
// and the memory and processor time of the demo at rest.
//
// node crates/server/benches/start.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, and the budgets.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
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

/** Processor time of each thread of a process, in seconds, and the number of times that it was scheduled. */
async function threads({ pid }) {
  const found = new Map();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const [nanoseconds, , runs] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ').map(Number);
    found.set(thread, [nanoseconds / 1e9, runs]);
  }
  return found;
}

/** Processor time of a process, in seconds, and its wake-ups, both per minute. No request is sent meanwhile. */
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

/** Measures the demo at rest, and again after a request for its page, which the server keeps up to date for ten minutes. */
async function demoAtRest() {
  const { child, page } = await startDemo(binary);
  try {
    await setTimeout(1000 * REST);
    const unseen = { ...(await atRest(child)), ...(await memory(child)) };
    const [response] = await once(get(page, { agent: false }), 'response');
    if (response.statusCode !== 200) throw new Error(`${page}: ${response.statusCode}`);
    await once(response.resume(), 'end');
    await setTimeout(1000 * REST);
    const seen = { ...(await atRest(child)), ...(await memory(child)) };
    return { unseen, seen };
  } finally {
    await stop(child);
  }
}

/** Starts and stops the server. Returns the time to the first response, and its memory two seconds later, in KiB. */
async function start(folder) {
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
    await setTimeout(2000);
    return { milliseconds, ...(await memory(child)) };
  } finally {
    await stop(child);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-start-bench-'));
try {
  const first = await start(folder);
  const later = [];
  for (let run = 0; run < STARTS; run += 1) later.push(await start(folder));
  const { size } = await stat(binary);
  bench.measurement('release build', { bytes: size, firstStartMilliseconds: first.milliseconds });
  bench.atMost('release build, MB', size / 1e6, 40);
  bench.atMost('start to the first response, milliseconds', median(later.map((run) => run.milliseconds)), 100);
  bench.atMost('memory of an empty installation, MiB', median(later.map((run) => run.resident)) / 1024, 40);
  const { unseen, seen } = await demoAtRest();
  for (const [what, used] of Object.entries({ 'demo at rest': unseen, 'demo at rest after a request for its page': seen })) {
    bench.measurement(what, {
      processorMillisecondsAMinute: Number((1000 * used.seconds).toFixed(1)),
      wakeUpsAMinute: Math.round(used.wakeUps),
      memoryMiB: Number((used.resident / 1024).toFixed(1)),
      anonymousMiB: Number((used.anonymous / 1024).toFixed(1)),
    });
  }
  bench.atMost('memory of the demo at rest, MiB', unseen.resident / 1024, 40);
  bench.atMost('processor time of the demo at rest, seconds a minute', unseen.seconds, 0.02);
} finally {
  await rm(folder, { recursive: true, force: true });
}
