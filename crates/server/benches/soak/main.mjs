// Measures memory, open files and threads under a long mixed load: readers of page, snapshot and
// history, viewers that come and go on event streams and sockets, an operator, and deliveries to
// sinks in this process. Memory must not grow under the load. Open files and threads must return to
// their level.
//
// node crates/server/benches/soak/main.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, and the budgets. SECONDS is the length of the
// load, 1,800 by default. The memory at its end is compared with that after five minutes, or after
// a quarter of a load of less than 20 minutes.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { openFiles, status } from '../process.mjs';
import { Bench, median } from '../results.mjs';
import { Site } from '../site.mjs';
import { run } from './load.mjs';
import { startSinks } from './sinks.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const seconds = Number(process.env.SECONDS ?? 1800);
const early = Math.min(300, seconds / 4);
/**
 * Length of the load before the level of files and threads is measured, in seconds. It opens what
 * the server keeps open.
 */
const WARM_UP = Math.min(20, seconds / 10);
/** Time within which the server closes its idle connections to receivers, in seconds. */
const REST = 90;
/** Length of the samples whose median is the memory at a moment, in seconds. */
const WINDOW = Math.min(20, seconds / 10);
const MAILS = 20;
const WEBHOOKS = 5;

/** Timeout of the confirmations of all subscribers, in milliseconds. */
const CONFIRMATION_TIMEOUT = 60_000;
const bench = new Bench('soak');

/** Adds subscribers that receive everything. */
async function subscribe(site, organisation, ports) {
  const headers = await site.bearer(organisation);
  const lines = Array.from({ length: MAILS }, (_, number) => `person${number}@example.com`);
  const query = 'dryRun=false&confirmed=true&consent=bench';
  await site.call('POST', `/subscriber/import?${query}`, headers, ['email', ...lines, ''].join('\n'));
  for (let number = 0; number < WEBHOOKS; number += 1) {
    const target = { channel: 'webhook', target: `http://127.0.0.1:${ports.webhook}/${number}` };
    await site.call('POST', '/subscriber', headers, target);
  }
  const end = performance.now() + CONFIRMATION_TIMEOUT;
  let subscribed = 0;
  while (subscribed < MAILS + WEBHOOKS) {
    if (performance.now() > end) throw new Error(`only ${subscribed} subscribers are confirmed`);
    await setTimeout(50);
    const { data } = await site.call('GET', '/subscriber/list', headers);
    subscribed = data.filter(({ status }) => status === 'SUBSCRIBED').length;
  }
}

/**
 * Sends many requests at the same time, for which the server opens all its connections to
 * the database.
 */
async function burst(site, organisation) {
  const headers = await site.bearer(organisation);
  for (let time = 0; time < 20; time += 1) {
    await Promise.all(Array.from({ length: 64 }, () => site.call('GET', '/audit', headers)));
  }
}

/** What the server uses at this moment. */
async function level({ child: { pid } }) {
  return { files: await openFiles(pid), threads: await status(pid, 'Threads'), ...(await memoryOf(pid)) };
}

/** Resident memory in KiB, and the part of it that is not a file's. */
async function memoryOf(pid) {
  return { resident: await status(pid, 'VmRSS'), anonymous: await status(pid, 'RssAnon') };
}

/** The files of `after` that are not in `before`. A path may be open several times. */
function added(before, after) {
  const known = [...before];
  return after.filter((file) => {
    const index = known.indexOf(file);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}

/**
 * Runs the load for this many seconds. Returns the counts of what was done, the memory at each
 * second, and the level at the end.
 */
async function loaded(site, organisation, component, length) {
  const done = { reads: 0, events: 0, streams: 0, sockets: 0, writes: 0, failures: 0 };
  const stop = new AbortController();
  const running = run(site, organisation, component, stop.signal, done);
  const memory = [];
  const begun = performance.now();
  while (performance.now() - begun < 1000 * length) {
    await Promise.race([setTimeout(1000), running]);
    memory.push({ at: (performance.now() - begun) / 1000, ...(await memoryOf(site.child.pid)) });
  }
  const busy = await level(site);
  stop.abort();
  await running;
  return { done, memory, busy };
}

const folder = await mkdtemp(join(tmpdir(), 'allclear-soak-'));
let site;
const sinks = await startSinks((link) => {
  const { subscriberId, orgId, verificationCode } = Object.fromEntries(link.searchParams);
  void site.call('POST', '/subscriber/verify', {}, { subscriberId, orgId, verificationCode });
});
try {
  site = await Site.start(binary, folder, {
    ALLCLEAR_SMTP_URL: `smtp://127.0.0.1:${sinks.ports.mail}`,
    ALLCLEAR_WEBHOOK_ALLOW: '127.0.0.1',
  });
  await site.signUp();
  const organisation = await site.organisation('Acme');
  const { data: component } = await site.call('POST', '/component/create', await site.bearer(organisation), { name: 'API' });
  await subscribe(site, organisation, sinks.ports);

  await Promise.all([loaded(site, organisation, component.id, WARM_UP), burst(site, organisation)]);
  await setTimeout(1000 * REST);
  const before = await level(site);
  const { done, memory, busy } = await loaded(site, organisation, component.id, seconds);
  await setTimeout(1000 * REST);
  const after = await level(site);

  const around = (from, to, kind = 'resident') =>
    median(memory.filter(({ at }) => at >= from && at <= to).map((sample) => sample[kind]));
  const [first, last] = [around(early - WINDOW / 2, early + WINDOW / 2), around(seconds - WINDOW, Infinity)];
  bench.measurement(`the load, ${seconds} seconds`, { ...done, mails: sinks.taken.mails, webhooks: sinks.taken.webhooks });
  const mebibytes = (kibibytes) => (kibibytes / 1024).toFixed(1);
  const shown = ({ files, threads, resident, anonymous }) => ({
    files: files.length,
    threads,
    memoryMiB: Number(mebibytes(resident)),
    anonymousMiB: Number(mebibytes(anonymous)),
  });
  const tenths = (kind) =>
    Array.from({ length: 10 }, (_, number) => {
      const end = ((number + 1) * seconds) / 10;
      return mebibytes(around(end - WINDOW / 2, end + WINDOW / 2, kind));
    });
  bench.measurement('memory after each tenth of the load', { memoryMiB: tenths('resident'), anonymousMiB: tenths('anonymous') });
  const levels = { before: shown(before), under: shown(busy), after: shown(after) };
  bench.measurement('at rest before, under load, at rest after', levels);
  bench.atMost(`memory at the end of ${seconds} seconds, of after ${early}`, last / first, 1.05);
  if (after.files.length > before.files.length) {
    bench.measurement('open files after the load that were not open before', { files: added(before.files, after.files) });
  }
  bench.atMost('open files after the load, of before', after.files.length / before.files.length, 1);
  bench.atMost('threads after the load, of before', after.threads / before.threads, 1);
  bench.atMost('failed requests, streams and sockets', done.failures, 0);
} finally {
  await site?.stop();
  sinks.stop();
  await rm(folder, { recursive: true, force: true });
}
