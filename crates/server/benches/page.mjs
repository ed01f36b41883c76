// Requests per second of the public page, the public snapshot and the Statuspage API's summary, compared with nginx serving the same bytes with the
// same headers from a file. Both run at the same time, on free loopback ports, with as many workers as there are
// processors; wrk asks them in turns, so that whatever else the machine does meets both.
//
//   node crates/server/benches/page.mjs [path of the allclear binary]
//
// Prints a JSON object a line: the figures of each way of asking, medians over the rounds, `ratio`, ours over nginx's, and
// the budgets.
// Needs nginx and wrk. ROUNDS and SECONDS say how often and how long each is asked.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { freePort } from './free-port.mjs';

const run = promisify(execFile);
const binary = process.argv[2] ?? 'target/release/allclear';
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 4);

/** What nginx would send by itself, and what says when or to whom an answer was sent. */
const own = new Set(['connection', 'content-length', 'date', 'etag', 'keep-alive', 'transfer-encoding', 'content-type']);

/** The demo: a filled organisation. Answers the origin and the path of its status page. */
async function startDemo() {
  const child = spawn(binary, ['demo'], {
    env: { ...process.env, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_LOG: 'info' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^\s*Public\s+(\S+)/.exec(line)?.[1];
    if (address) return { child, page: new URL(address) };
  }
  throw new Error(`${binary} demo did not say where its status page is`);
}

const asked = {
  'page, gzip': (page) => [page.pathname, 'gzip'],
  'page, plain': (page) => [page.pathname, 'identity'],
  'snapshot, gzip': (page) => [`/api/v1${page.pathname}`, 'gzip'],
  'snapshot, plain': (page) => [`/api/v1${page.pathname}`, 'identity'],
  'Statuspage summary, gzip': (page) => [`${page.pathname}/api/v2/summary.json`, 'gzip'],
  'Statuspage summary, plain': (page) => [`${page.pathname}/api/v2/summary.json`, 'identity'],
};

async function bytesOf(url, coding) {
  // Node's fetch would decode what it gets: curl leaves it as it is.
  const { stdout } = await run('curl', ['-sS', '-D', '-', '-o', '-', '-H', `accept-encoding: ${coding}`, url.href], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  const end = stdout.indexOf('\r\n\r\n');
  const lines = stdout.subarray(0, end).toString().split('\r\n').slice(1);
  return { headers: new Map(lines.map((line) => line.split(/:\s*/s, 2).map((it) => it))), body: stdout.subarray(end + 4), lines };
}

/** nginx with each answer as a file, and our headers on it. */
async function startNginx(folder, responses) {
  const port = await freePort();
  await mkdir(join(folder, 'files'));
  const locations = await Promise.all(
    responses.map(async ({ lines, body }, index) => {
      await writeFile(join(folder, 'files', String(index)), body);
      const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
      const type = headers.find(([name]) => name === 'content-type')?.[1] ?? 'text/plain';
      const added = headers
        .filter(([name]) => !own.has(name))
        .map(([name, value]) => `add_header ${name} "${value.replaceAll('"', '\\"')}";`);
      return `location = /${index} { types {} default_type "${type}"; ${added.join(' ')} }`;
    }),
  );
  const configuration = `
    worker_processes ${availableParallelism()}; daemon off; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 4096; multi_accept on; }
    http {
      access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_timeout 75s; keepalive_requests 100000000;
      open_file_cache max=100 inactive=1h; open_file_cache_valid 1h;
      client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
      uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
      server { listen 127.0.0.1:${port} reuseport; root ${folder}/files; etag on; ${locations.join('\n')} }
    }`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(origin).then(() => true, () => false)) return { child, origin };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx does not answer');
}

/** One run of wrk: requests a second, and how long the slowest hundredth waits, in milliseconds. */
async function wrk(url, connections, headers) {
  const flags = headers.flatMap((header) => ['-H', header]);
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...flags, url]);
  const errors = /Socket errors.*|Non-2xx or 3xx responses.*/.exec(stdout)?.[0];
  if (errors) throw new Error(`${url}: ${errors}`);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  const ms = Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]), p99: ms };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare(what, coding, connections, [ours, theirs]) {
  const found = { ours: [], nginx: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await wrk(ours.url, connections, ours.headers));
    found.nginx.push(await wrk(theirs.url, connections, theirs.headers));
  }
  const of = (runs, key) => Number(median(runs.map((it) => it[key])).toFixed(2));
  const ratio = median(found.ours.map(({ rate }, round) => rate / found.nginx[round].rate));
  const measurements = {
    bench: 'page',
    what,
    connections,
    requestsPerSecond: of(found.ours, 'rate'),
    p99Milliseconds: of(found.ours, 'p99'),
    nginxRequestsPerSecond: of(found.nginx, 'rate'),
    nginxP99Milliseconds: of(found.nginx, 'p99'),
    ratio: Number(ratio.toFixed(3)),
  };
  console.log(JSON.stringify(measurements));
  const limit = coding === 'gzip' ? 0.9 : 0.7;
  const budget = `${what}, ${connections} connections: requests a second, of nginx's`;
  const value = measurements.ratio;
  console.log(JSON.stringify({ bench: 'page', budget, value, rule: 'at least', limit, met: value >= limit }));
}

async function stop(child) {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-page-bench-'));
// nginx started by root reads the files as another user.
await chmod(folder, 0o755);
const demo = await startDemo();
let nginx;
try {
  const ways = Object.entries(asked).map(([what, of]) => [what, ...of(demo.page)]);
  const responses = [];
  for (const [, path, coding] of ways) responses.push(await bytesOf(new URL(path, demo.page), coding));
  nginx = await startNginx(folder, responses);
  for (const [index, [what, path, coding]] of ways.entries()) {
    const headers = [`accept-encoding: ${coding}`];
    const url = new URL(path, demo.page).href;
    const peer = `${nginx.origin}/${index}`;
    const tag = async (address) => (await fetch(address, { headers: { 'accept-encoding': coding } })).headers.get('etag');
    const [tagged, peerTagged] = [await tag(url), await tag(peer)];
    for (const connections of [64, 512]) {
      await compare(`${what}, ${responses[index].body.length} bytes`, coding, connections, [{ url, headers }, { url: peer, headers }]);
    }
    await compare(`${what}, not modified`, coding, 64, [
      { url, headers: [...headers, `if-none-match: ${tagged}`] },
      { url: peer, headers: [...headers, `if-none-match: ${peerTagged}`] },
    ]);
  }
} finally {
  await stop(demo.child);
  if (nginx) await stop(nginx.child);
  await rm(folder, { recursive: true, force: true });
}
