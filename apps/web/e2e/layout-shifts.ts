import { expect, type Page } from '@playwright/test';

declare global {
  interface Window {
    /** What has moved on the page, as the browser measures it. */
    shifts?: string[];
  }
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

/** Has each page that is loaded from now on write down what moves on it. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    window.shifts = shifts;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as LayoutShift;
        // Less than half a thousandth is a rounded pixel: nobody sees it, and tools report it as 0.
        if (hadRecentInput || value < 0.0005) continue;
        const moved = sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML.slice(0, 200) : node?.textContent,
        );
        shifts.push(`${value}: ${moved.join(' | ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** What the browser has laid out is on screen, and what moved by it is known. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

export async function expectNothingMoved(page: Page): Promise<void> {
  await painted(page);
  expect(await page.evaluate(() => window.shifts)).toEqual([]);
}
