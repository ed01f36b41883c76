import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * An analysis without the blank page that axe opens to merge the results of frames. Frames of other
 * origins are left out.
 */
export function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode();
}
