// Requests per second of the demo's public page, snapshot, history, feeds and Statuspage summary,
// compared with nginx that serves the same bytes with the same headers from files, and the size of
// the page. Both servers run at the same time, on free ports, with as many workers as there are
// processors. wrk requests them in turns, so that other work on the machine affects both.
//
// node crates/server/benches/page.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, which are medians over the rounds, and the
// budgets. `ratio` is the rate of the product as a share of that of nginx. Needs nginx, wrk and
// curl. ROUNDS and SECONDS are the number and the length of the measurements.

import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startDemo } from './demo.mjs';
import { freePort } from './free-port.mjs';
import { stop } from './process.mjs';
import { Bench, median } from './results.mjs';
import { wrk } from './wrk.mjs';

const run = promisify(execFile);
const binary = process.argv[2] ?? 'target/release/allclear';
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 4);
const bench = new Bench('page');

/** Headers that nginx sends by itself, and headers of one response or connection. */
const own = new Set(['connection', 'content-length', 'date', 'etag', 'keep-alive', 'transfer-encoding', 'content-type']);
/** The encodings, with the name of each and the maximum size of the page in kilobytes. */
const ENCODINGS = [
  { name: 'gzip', coding: 'gzip', kilobytes: 8 },
  { name: 'plain', coding: 'identity', kilobytes: 30 },
];
/** Minimum rate as a share of that of nginx. */
const SHARE = 0.9;
/** The same for the page and the snapshot with gzip, which most readers request. */
const MAIN_SHARE = 1;

/**
 * What is requested: the path for the path of the page. `isMain` marks the page and the snapshot.
 */
const documents = [
  { what: 'page', of: (page) => page, isMain: true },
  { what: 'snapshot', of: (page) => `/api/v1${page}`, isMain: true },
  { what: 'history', of: (page) => `${page}/history` },
  { what: 'Atom feed', of: (page) => `${page}/history.atom` },
  { what: 'JSON feed', of: (page) => `${page}/feed.json` },
  { what: 'Statuspage summary', of: (page) => `${page}/api/v2/summary.json` },
];

/** Requests a document. Returns the lines of its headers, and its body as it is sent. */
async function responseOf(url, coding) {
  // Node's fetch would decode the body.
  const { stdout } = await run('curl', ['-sSf', '-D', '-', '-o', '-', '-H', `accept-encoding: ${coding}`, url.href], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  const end = stdout.indexOf('\r\n\r\n');
  return { lines: stdout.subarray(0, end).toString().split('\r\n').slice(1), body: stdout.subarray(end + 4) };
}

/** Starts nginx with the body of each response as a file, and the headers of the response. */
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
    await setTimeout(50);
  }
  throw new Error('nginx does not respond');
}

/** Requests both servers in turns. `atLeast` is the minimum share of the rate of nginx. */
async function compare(what, connections, atLeast, [ours, theirs]) {
  const found = { ours: [], nginx: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await wrk(ours.url, { connections, seconds, headers: ours.headers }));
    found.nginx.push(await wrk(theirs.url, { connections, seconds, headers: theirs.headers }));
  }
  const of = (runs, key) => Number(median(runs.map((it) => it[key])).toFixed(2));
  const ratio = median(found.ours.map(({ requestsPerSecond }, round) => requestsPerSecond / found.nginx[round].requestsPerSecond));
  bench.measurement(what, {
    connections,
    requestsPerSecond: of(found.ours, 'requestsPerSecond'),
    p99Milliseconds: of(found.ours, 'p99Milliseconds'),
    nginxRequestsPerSecond: of(found.nginx, 'requestsPerSecond'),
    nginxP99Milliseconds: of(found.nginx, 'p99Milliseconds'),
    ratio: Number(ratio.toFixed(3)),
  });
  bench.atLeast(`${what}, ${connections} connections: requests a second, of nginx's`, ratio, atLeast);
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-page-bench-'));
// nginx started by root reads the files as another user.
await chmod(folder, 0o755);
// The log has the level of an installation.
const demo = await startDemo(binary, { log: 'info' });
let nginx;
try {
  const targets = documents.flatMap(({ of, ...document }) =>
    ENCODINGS.map((encoding) => ({ ...document, ...encoding, url: new URL(of(demo.page.pathname), demo.page) })),
  );
  const responses = [];
  for (const { url, coding } of targets) responses.push(await responseOf(url, coding));
  nginx = await startNginx(folder, responses);
  for (const [index, { what, isMain, name, coding, kilobytes, url }] of targets.entries()) {
    const headers = [`accept-encoding: ${coding}`];
    const [ours, theirs] = [url.href, `${nginx.origin}/${index}`];
    const bytes = responses[index].body.length;
    if (what === 'page') bench.atMost(`${what}, ${name}: kilobytes`, bytes / 1000, kilobytes);
    const share = isMain && coding === 'gzip' ? MAIN_SHARE : SHARE;
    for (const connections of [64, 512]) {
      const requests = [ours, theirs].map((at) => ({ url: at, headers }));
      await compare(`${what}, ${name}, ${bytes} bytes`, connections, share, requests);
    }
    const tag = async (at) => (await fetch(at, { headers: { 'accept-encoding': coding } })).headers.get('etag');
    const conditional = async (at) => ({ url: at, headers: [...headers, `if-none-match: ${await tag(at)}`] });
    await compare(`${what}, ${name}, not modified`, 64, SHARE, [await conditional(ours), await conditional(theirs)]);
  }
} finally {
  await stop(demo.child);
  if (nginx) await stop(nginx.child);
  await rm(folder, { recursive: true, force: true });
}
