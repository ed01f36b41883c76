// Load by wrk.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs wrk once. `p99Milliseconds` is the time that 99 of 100 requests do not exceed. `script` is a
 * Lua file, and `parameters` are those of the script. Fails if a response is an error or takes more
 * than ten seconds.
 */
export async function wrk(url, { connections, seconds, headers = [], script, parameters = [] }) {
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency'];
  for (const header of headers) flags.push('-H', header);
  if (script) flags.push('-s', script);
  const { stdout } = await run('wrk', [...flags, url, '--', ...parameters]);
  const errors = /Socket errors.*|Non-2xx or 3xx responses.*/.exec(stdout)?.[0];
  if (errors) throw new Error(`${url}: ${errors}`);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]),
    p99Milliseconds: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit],
  };
}
