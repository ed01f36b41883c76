// Allclear beside other self-hosted status pages that show the same content: their public pages under load, their memory, what a
// first visit downloads, and the time until its headline is painted.
//
//   node crates/server/benches/peers.mjs [path of the allclear binary]
//
// Prints a JSON object a line. Needs wrk, and Chromium: CHROME_PATH, or what .ci/browser finds. Missing peers are installed into
// .just/peers: Vigil by cargo, which takes minutes, and Uptime Kuma by npm. ROUNDS and SECONDS say how often and how long each
// page is requested, VISITS how often a browser opens it.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startAllclear } from './peers/allclear.mjs';
import { Browser } from './peers/browser.mjs';
import { endAll } from './peers/process.mjs';
import { startUptimeKuma } from './peers/uptime-kuma.mjs';
import { startVigil } from './peers/vigil.mjs';
import { wrk } from './wrk.mjs';

const run = promisify(execFile);
const binary = resolve(process.argv[2] ?? 'target/release/allclear');
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 4);
const visits = Number(process.env.VISITS ?? 5);
const CONNECTIONS = 64;
const CODINGS = { gzip: 'gzip', plain: 'identity' };

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (value) => Number(value.toPrecision(4));
const print = (what, figures) => console.log(JSON.stringify({ bench: 'peers', what, ...figures }));

/** Resident memory of a process, in MiB. */
async function resident({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Processor time of a process so far, in microseconds; the kernel counts hundredths of a second. */
async function processor({ pid }) {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Bytes of the page's body as they are sent. */
async function bodyBytes(url, coding) {
  const { stdout } = await run('curl', ['-sS', '-o', '/dev/null', '-w', '%{size_download}', '-H', `accept-encoding: ${coding}`, url]);
  return Number(stdout);
}

/** One run of the load on an address of a product. */
async function load({ child, url }, coding) {
  const before = await processor(child);
  const answered = await wrk(url, { connections: CONNECTIONS, seconds, headers: [`accept-encoding: ${coding}`] });
  const microseconds = (await processor(child)) - before;
  return { ...answered, processorMicrosecondsPerRequest: microseconds / answered.requests };
}

/** The products' pages, and what a page requests to show its content, under the same load in turns. */
async function compareLoad(products) {
  const targets = products.flatMap(({ title, child, page, data }) => [
    { what: `${title}, page`, child, url: page },
    ...(data ? [{ what: `${title}, content of the page`, child, url: data }] : []),
  ]);
  for (const [name, coding] of Object.entries(CODINGS)) {
    const runs = targets.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, target] of targets.entries()) runs[index].push(await load(target, coding));
    }
    for (const [index, { what, url }] of targets.entries()) {
      const of = (key) => rounded(median(runs[index].map((it) => it[key])));
      print(`${what}, ${name} requested, ${CONNECTIONS} connections`, {
        bytes: await bodyBytes(url, coding),
        requestsPerSecond: of('requestsPerSecond'),
        p99Milliseconds: of('p99Milliseconds'),
        processorMicrosecondsPerRequest: of('processorMicrosecondsPerRequest'),
      });
    }
  }
}

/** First visits to the products' pages in a browser, in turns. */
async function compareVisits(products) {
  const browser = await Browser.start();
  try {
    const found = products.map(() => ({ near: [], far: [] }));
    // The browser's own first page takes longer.
    for (const product of products) await browser.visit(product);
    for (let visit = 0; visit < visits; visit += 1) {
      for (const [index, product] of products.entries()) {
        found[index].near.push(await browser.visit(product));
        found[index].far.push(await browser.visit(product, { far: true }));
      }
    }
    for (const [index, { title }] of products.entries()) {
      const of = (key, where = 'near') => rounded(median(found[index][where].map((it) => it[key])));
      print(`${title}, first visit`, {
        requests: of('requests'),
        bytes: of('bytes'),
        scriptBytes: of('scriptBytes'),
        headlineMilliseconds: of('headlineMilliseconds'),
        headlineMillisecondsOnSlowConnection: of('headlineMilliseconds', 'far'),
      });
    }
  } finally {
    await browser.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-peers-bench-'));
const products = [];
try {
  for (const start of [(at) => startAllclear(binary, at), startVigil, startUptimeKuma]) products.push(await start(folder));
  await setTimeout(3000);
  const atRest = await Promise.all(products.map(({ child }) => resident(child)));
  await compareVisits(products);
  await compareLoad(products);
  for (const [index, { title, child }] of products.entries()) {
    const figures = { atRest: rounded(atRest[index]), afterLoad: rounded(await resident(child)) };
    print(`${title}, resident memory, MiB`, figures);
  }
} finally {
  await endAll();
  await rm(folder, { recursive: true, force: true });
}
