// First visits of a browser: what it downloads, and when the headline is painted.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const { chromium } = createRequire(resolve('apps/web/package.json'))('playwright-core');

/**
 * Time from the headline to the end of a visit, in milliseconds. Everything is downloaded in it.
 */
const REST = 2000;
/** Lighthouse's slow connection of a mobile phone. */
const SLOW = { offline: false, latency: 150, downloadThroughput: (1.6e6 * 0.9) / 8, uploadThroughput: (750e3 * 0.9) / 8 };

/**
 * Runs in the page before its scripts. Marks the element with the text, so that the browser reports
 * when it is painted.
 */
function watchHeadline(text) {
  const mark = (node) => {
    const texts = document.createTreeWalker(node.nodeType === Node.TEXT_NODE ? node.parentNode : node, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (data.includes(text) && parentElement?.closest('body')) parentElement.setAttribute('elementtiming', 'headline');
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) if (node.isConnected) mark(node);
  }).observe(document, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver((list) => {
    const [painted] = list.getEntries();
    globalThis.headlinePaintedAt ??= painted.renderTime;
  }).observe({ type: 'element', buffered: true });
}

export class Browser {
  static async start() {
    const executablePath = process.env.CHROME_PATH ?? execFileSync('.ci/browser', { encoding: 'utf8' }).trim();
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    return browser;
  }

  async stop() {
    await this.chromium.close();
  }

  /** Visits a page with an empty cache, over the connection of this machine or a slow one. */
  async visit({ page: url, headline }, { isSlow = false } = {}) {
    const context = await this.chromium.newContext();
    try {
      const page = await context.newPage();
      const protocol = await context.newCDPSession(page);
      await protocol.send('Network.enable');
      if (isSlow) await protocol.send('Network.emulateNetworkConditions', SLOW);
      const received = new Map();
      protocol.on('Network.requestWillBeSent', ({ requestId, type }) => received.set(requestId, { type, bytes: 0 }));
      protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        received.get(requestId).bytes = encodedDataLength;
      });
      await page.addInitScript(watchHeadline, headline);
      await page.goto(url);
      await page.waitForFunction(() => globalThis.headlinePaintedAt, null, { timeout: 30_000 });
      const headlineMilliseconds = await page.evaluate(() => globalThis.headlinePaintedAt);
      if (!isSlow) await setTimeout(REST);
      const sum = (wanted) => wanted.reduce((bytes, it) => bytes + it.bytes, 0);
      const all = [...received.values()];
      const scripts = all.filter(({ type }) => type === 'Script');
      return { headlineMilliseconds, requests: all.length, bytes: sum(all), scriptBytes: sum(scripts) };
    } finally {
      await context.close();
    }
  }
}
