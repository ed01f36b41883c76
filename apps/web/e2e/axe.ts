import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** An analysis of a page without frames. One of all frames would end in a page of its own, to join their results. */
export function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode();
}
