import { expect, type Page } from '@playwright/test';

declare global {
  interface Window {
    /** Layout shifts that the browser has measured. */
    shifts?: string[];
  }
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

/** Records the layout shifts of every page that is loaded from now on. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    window.shifts = shifts;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as LayoutShift;
        // Less than half a thousandth is a rounded pixel: it is invisible, and tools report it as 0.
        if (hadRecentInput || value < 0.0005) continue;
        const moved = sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML.slice(0, 200) : node?.textContent,
        );
        shifts.push(`${value}: ${moved.join(' | ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Waits until the layout is painted and its shifts are recorded. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

export async function expectNothingMoved(page: Page): Promise<void> {
  await painted(page);
  expect(await page.evaluate(() => window.shifts)).toEqual([]);
}
