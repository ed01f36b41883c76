// Installs, starts and stops the compared servers.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

import { stop } from '../process.mjs';

const running = new Set();

/** Runs a program to its end. */
export async function complete(program, parameters, options = {}) {
  const [code] = await once(spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], ...options }), 'exit');
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${code}`);
}

/** Starts a server, and waits until it responds to requests for this URL. Returns its process. */
export async function serve(program, parameters, { readyUrl, ...options }) {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  running.add(child);
  for (let tries = 0; tries < 600 && child.exitCode === null; tries += 1) {
    if (await fetch(readyUrl).then(({ ok }) => ok, () => false)) return child;
    await setTimeout(50);
  }
  throw new Error(`${program} does not respond at ${readyUrl}`);
}

/** Stops all servers. */
export async function stopAll() {
  for (const child of running) await stop(child);
}
