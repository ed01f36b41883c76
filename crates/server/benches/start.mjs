// Size of the release build, time to its first response, and its idle memory: an empty installation, restarted.
//
//   node crates/server/benches/start.mjs [path of the allclear binary]
//
// Prints a JSON object a line: the figures, and the budgets.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { freePort } from './free-port.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const starts = 9;

const isReady = (port) =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

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
  const resident = Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))[1]);
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
  return { milliseconds, resident };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function budget(what, value, limit) {
  const rounded = Number(value.toFixed(1));
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
  budget('start to the first answer, milliseconds', median(later.map((run) => run.milliseconds)), 200);
  budget('memory at rest, MiB', median(later.map((run) => run.resident)) / 1024, 40);
} finally {
  await rm(folder, { recursive: true, force: true });
}
