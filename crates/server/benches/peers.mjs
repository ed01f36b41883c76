// Compares Allclear with other self-hosted status pages that show the same content: the public
// pages under load, the memory, the download of a first visit, and the time until its headline
// is painted.
//
// node crates/server/benches/peers.mjs [path of the allclear binary]
//
// Prints one JSON object per line. Needs wrk, curl, and Chromium: CHROME_PATH names it, or
// .ci/browser finds it. Missing peers are installed into .just/peers: Vigil by cargo, which takes
// minutes, and Uptime Kuma by npm. ROUNDS and SECONDS are the number and the length of the loads of
// each page. VISITS is the number of its visits by a browser.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startAllclear } from './peers/allclear.mjs';
import { Browser } from './peers/browser.mjs';
import { stopAll } from './peers/server.mjs';
import { startUptimeKuma } from './peers/uptime-kuma.mjs';
import { startVigil } from './peers/vigil.mjs';
import { processor, status } from './process.mjs';
import { Bench, median } from './results.mjs';
import { wrk } from './wrk.mjs';

const run = promisify(execFile);
const binary = resolve(process.argv[2] ?? 'target/release/allclear');
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 4);
const visits = Number(process.env.VISITS ?? 5);
const CONNECTIONS = 64;
const CODINGS = { gzip: 'gzip', plain: 'identity' };

const bench = new Bench('peers');
const rounded = (value) => Number(value.toPrecision(4));

/** Resident memory of a server, in MiB. */
const resident = async ({ pid }) => rounded((await status(pid, 'VmRSS')) / 1024);

/** Size of the body of a response as it is sent, in bytes. */
async function bodyBytes(url, coding) {
  const { stdout } = await run('curl', ['-sS', '-o', '/dev/null', '-w', '%{size_download}', '-H', `accept-encoding: ${coding}`, url]);
  return Number(stdout);
}

/** Requests a URL of a server once under load. */
async function load({ child, url }, coding) {
  const before = await processor(child.pid);
  const results = await wrk(url, { connections: CONNECTIONS, seconds, headers: [`accept-encoding: ${coding}`] });
  const used = (await processor(child.pid)).own - before.own;
  return { ...results, processorMicrosecondsPerRequest: (1e6 * used) / results.requests };
}

/**
 * Measures the pages, and the requests by which a page gets its content, under the same
 * load in turns.
 */
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
      bench.measurement(`${what}, ${name} requested, ${CONNECTIONS} connections`, {
        bytes: await bodyBytes(url, coding),
        requestsPerSecond: of('requestsPerSecond'),
        p99Milliseconds: of('p99Milliseconds'),
        processorMicrosecondsPerRequest: of('processorMicrosecondsPerRequest'),
      });
    }
  }
}

/** Measures first visits to the pages in a browser, in turns. */
async function compareVisits(products) {
  const browser = await Browser.start();
  try {
    const found = products.map(() => ({ fast: [], slow: [] }));
    // The first page that a browser opens takes longer, so it does not count.
    for (const product of products) await browser.visit(product);
    for (let visit = 0; visit < visits; visit += 1) {
      for (const [index, product] of products.entries()) {
        found[index].fast.push(await browser.visit(product));
        found[index].slow.push(await browser.visit(product, { isSlow: true }));
      }
    }
    for (const [index, { title }] of products.entries()) {
      const of = (key, connection = 'fast') => rounded(median(found[index][connection].map((it) => it[key])));
      bench.measurement(`${title}, first visit`, {
        requests: of('requests'),
        bytes: of('bytes'),
        scriptBytes: of('scriptBytes'),
        headlineMilliseconds: of('headlineMilliseconds'),
        headlineMillisecondsOnSlowConnection: of('headlineMilliseconds', 'slow'),
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
    bench.measurement(`${title}, resident memory, MiB`, { atRest: atRest[index], afterLoad: await resident(child) });
  }
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}
