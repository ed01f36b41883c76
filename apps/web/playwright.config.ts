import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defineConfig, devices } from '@playwright/test';

/** The Chromium at `CHROMIUM`, or the first that `.ci/browser` finds. */
function chromium(): string {
  const search = fileURLToPath(new URL('../../.ci/browser', import.meta.url));
  try {
    return execFileSync(search, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    throw new Error('There is no Chromium. Install one, or set CHROMIUM to the path of one.');
  }
}

export default defineConfig({
  testDir: 'e2e',
  workers: 2,
  // Long enough for a busy machine.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  // A story that passes at its second try only is reported as flaky, with a trace.
  retries: process.env.CI ? 1 : 0,
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    screenshot: 'only-on-failure',
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: chromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});
