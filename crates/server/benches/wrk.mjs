// One run of wrk: requests a second, and the wait of the slowest hundredth in milliseconds.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Fails if a response is an error or takes more than ten seconds. */
export async function wrk(url, { connections, seconds, headers }) {
  const flags = headers.flatMap((header) => ['-H', header]);
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', ...flags, url]);
  const errors = /Socket errors.*|Non-2xx or 3xx responses.*/.exec(stdout)?.[0];
  if (errors) throw new Error(`${url}: ${errors}`);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]),
    p99Milliseconds: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit],
  };
}
