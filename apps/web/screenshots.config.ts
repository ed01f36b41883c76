import { defineConfig } from '@playwright/test';
import stories from './playwright.config.ts';

/** The pictures of the documentation, taken in the same browser as the stories are told in. */
export default defineConfig({ ...stories, testMatch: ['landing-shots.ts', 'screenshots.ts'] });
