import { defineConfig } from '@playwright/test';
import stories from './playwright.config.ts';

/** The screenshots of the documentation, taken in the same browser as the tests use. */
export default defineConfig({ ...stories, testMatch: ['landing-shots.ts', 'screenshots.ts'] });
