import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** An analysis without the blank page that axe opens to merge the results of frames. */
export function axe(page: Page): AxeBuilder {
  if (page.frames().length > 1) throw new Error('The page has frames, which this would leave out');
  return new AxeBuilder({ page }).setLegacyMode();
}
