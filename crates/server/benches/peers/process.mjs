// Start and end of the products' processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

const running = new Set();

/** Runs a program to its end. */
export async function complete(program, parameters, options = {}) {
  const [code] = await once(spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], ...options }), 'exit');
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${code}`);
}

/** Starts a server and waits until it responds. */
export async function serve(program, parameters, { origin, ...options }) {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  running.add(child);
  for (let tries = 0; tries < 600 && child.exitCode === null; tries += 1) {
    if (await fetch(origin).then(({ ok }) => ok, () => false)) return child;
    await setTimeout(50);
  }
  throw new Error(`${program} does not respond at ${origin}`);
}

/** Ends all servers. */
export async function endAll() {
  for (const child of running) {
    if (child.exitCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}
