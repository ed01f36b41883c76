import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { listen, test as base } from './fixtures';
import { ClerkStandIn } from './fake-clerk';
import { Server } from './server';

interface TestFixtures {
  /** A browser without any session. */
  anonymous: Page;
}

interface WorkerFixtures {
  clerk: ClerkStandIn;
}

/** The same product, and Clerk in place of the identity provider that comes with it. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  clerk: [
    async ({}, use) => {
      const clerk = await ClerkStandIn.start();
      await use(clerk);
      await clerk.stop();
    },
    { scope: 'worker' },
  ],
  launchOptions: [
    async ({ clerk, launchOptions }, use) => {
      const args = [...(launchOptions.args ?? []), clerk.browserArgument];
      await use({ ...launchOptions, args });
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ clerk }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'allclear-clerk-'));
      const trusted = join(folder, 'clerk.pem');
      await writeFile(trusted, clerk.certificate);
      const server = await Server.start({
        ALLCLEAR_CLERK_PUBLISHABLE_KEY: clerk.instance.publishableKey,
        ALLCLEAR_CLERK_SECRET_KEY: clerk.instance.secretKey,
        ALLCLEAR_CLERK_WEBHOOK_SECRET: `whsec_${Buffer.from('a secret of the test').toString('base64')}`,
        ALLCLEAR_CLERK_API_URL: clerk.url,
        ALLCLEAR_CLERK_JWKS_URL: `${clerk.url}/.well-known/jwks.json`,
        SSL_CERT_FILE: trusted,
      });
      await use(server);
      await server.remove();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  ignoreHTTPSErrors: true,
  anonymous: async ({ browser, baseURL, consoleErrors }, use) => {
    const context = await browser.newContext({ ...(baseURL !== undefined && { baseURL }) });
    await listen(context, consoleErrors);
    await use(await context.newPage());
    await context.close();
  },
});

export { expect } from '@playwright/test';
