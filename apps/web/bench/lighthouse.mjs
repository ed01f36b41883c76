// Measures the public pages with Lighthouse's mobile settings and throttling, and the operators'
// screens with its desktop settings.
//
// node apps/web/bench/lighthouse.mjs <path of the allclear binary> <folder that holds
// node_modules/lighthouse>
//
// Prints one JSON object per page: the four scores, the largest contentful paint and the layout
// shift. CHROME_PATH names the browser. RUNS is the number of runs per page; the run with the
// median performance counts.

import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL, URL } from 'node:url';

const [binary = 'target/debug/allclear', tools = '.'] = process.argv.slice(2);
const runs = Number(process.env.RUNS ?? 3);
const require = createRequire(pathToFileURL(resolve(tools, 'package.json')));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: lighthouse, desktopConfig } = await load('lighthouse');
const { launch } = await load('chrome-launcher');

const screens = [
  '/components',
  '/incidents',
  '/schedules',
  '/subscribers',
  '/incidents/incident/create',
];

async function startDemo() {
  const child = spawn(binary, ['demo'], {
    env: { ...process.env, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_LOG: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const piece of child.stdout) {
    said += String(piece);
    if (said.includes('Stop')) break;
  }
  const [, page] = /Public\s+(\S+)/.exec(said);
  const [, origin, email, password] = /Sign in\s+(\S+)\/login\s+(\S+)\s+(\S+)/.exec(said);
  return { child, page, origin, email, password };
}

/** Signs in and returns the session's cookie. */
async function cookie({ origin, email, password }) {
  const response = await globalThis.fetch(`${origin}/api/v1/identity/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`signing in was answered ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
}

/** The addresses of the history, of its newest incident, and of the uptime. */
async function pastPages(page) {
  const history = await (await globalThis.fetch(`${page}/history`)).text();
  const [incident] = /\/incidents\/[0-9a-z]{12}/.exec(history);
  return { history: `${page}/history`, incident: page + incident, uptime: `${page}/uptime` };
}

async function measure(url, config, headers) {
  const results = [];
  for (let attempt = 1; results.length < runs; attempt += 1) {
    const chrome = await launch({
      chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'],
    });
    try {
      const flags = {
        port: chrome.port,
        output: 'json',
        logLevel: 'error',
        ...(headers && { extraHeaders: headers }),
      };
      const { lhr } = await lighthouse(url, flags, config);
      if (!lhr.runtimeError) results.push(lhr);
      // The browser sometimes fails to record a trace; a permanent failure has a cause.
      else if (attempt >= runs + 2) throw new Error(`${url}: ${lhr.runtimeError.message}`);
    } finally {
      chrome.kill();
    }
  }
  results.sort((a, b) => a.categories.performance.score - b.categories.performance.score);
  return results[Math.floor(results.length / 2)];
}

function report(what, { categories, audits, finalDisplayedUrl }) {
  const scores = Object.values(categories).map(({ id, score }) => [id, Math.round(score * 100)]);
  const missed = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 0.9)
      .map(({ id }) => `${id}: ${audits[id].displayValue ?? audits[id].score}`),
  );
  const measurements = {
    bench: 'lighthouse',
    what,
    at: new URL(finalDisplayedUrl).pathname,
    ...Object.fromEntries(scores),
    largestContentfulPaintMilliseconds: Math.round(audits['largest-contentful-paint'].numericValue),
    cumulativeLayoutShift: audits['cumulative-layout-shift'].numericValue,
    missed,
  };
  console.log(JSON.stringify(measurements));
}

const demo = await startDemo();
try {
  report('public page, mobile', await measure(demo.page));
  for (const [name, url] of Object.entries(await pastPages(demo.page))) {
    report(`public ${name}, mobile`, await measure(url));
  }
  const headers = { Cookie: await cookie(demo) };
  for (const screen of screens) {
    report(`${screen}, desktop`, await measure(demo.origin + screen, desktopConfig, headers));
  }
} finally {
  const gone = once(demo.child, 'exit');
  demo.child.kill('SIGTERM');
  await gone;
}
