import { test as base, type BrowserContext, type Page } from '@playwright/test';
import { Operator, type Account, type Organisation } from './operator';
import { Server } from './server';

interface TestFixtures {
  /** A new organisation of the operator. */
  organisation: Organisation;
  /** A separate server without accounts. */
  installation: Server;
  /** Another user with an account and no organisation. */
  newcomer: Operator;
  /** A page of a separate browser in which the operator is signed in. `page` is not signed in. */
  operatorPage: Page;
  /** Errors that the browser reported. A test fails unless it removes all of them. */
  consoleErrors: string[];
}

interface WorkerFixtures {
  server: Server;
  operator: Operator;
}

declare global {
  interface Window {
    reportViolation: (text: string) => void;
  }
}

let organisations = 0;
let newcomers = 0;

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  operator: [
    async ({ server, playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: server.url });
      const operator = new Operator(accountOf('Ada Lovelace'), request);
      await operator.signUp(server);
      await use(operator);
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  baseURL: ({ server }, use) => use(server.url),
  organisation: async ({ operator }, use) => {
    organisations += 1;
    await use(await operator.createOrganisation(`Organisation ${organisations}`));
  },
  installation: async ({ context }, use) => {
    const installation = await Server.start();
    await use(installation);
    // A page reports the end of its server in the console.
    await Promise.all(context.pages().map((page) => page.close()));
    await installation.remove();
  },
  newcomer: async ({ server, playwright }, use) => {
    newcomers += 1;
    const request = await playwright.request.newContext({ baseURL: server.url });
    const newcomer = new Operator(accountOf(`Newcomer ${newcomers}`), request);
    await newcomer.signUp(server);
    await use(newcomer);
    await request.dispose();
  },
  operatorPage: async ({ browser, server, operator, organisation, consoleErrors }, use) => {
    await operator.bearer(organisation.id);
    const context = await browser.newContext({ baseURL: server.url });
    await listen(context, consoleErrors);
    await operator.signIn(context);
    await use(await context.newPage());
    await context.close();
  },
  consoleErrors: [
    async ({ context }, use) => {
      const consoleErrors: string[] = [];
      await listen(context, consoleErrors);
      await use(consoleErrors);
      if (consoleErrors.length > 0)
        throw new Error(`The browser reported errors:\n${consoleErrors.join('\n')}`);
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';

export function accountOf(name: string): Account {
  const address = name.toLowerCase().replaceAll(' ', '.');
  return { name, email: `${address}@example.com`, password: 'correct horse battery' };
}

/** Collects script errors, console errors and violations of the content security policy. */
export async function listen(context: BrowserContext, consoleErrors: string[]): Promise<void> {
  context.on('weberror', (error) => consoleErrors.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  await context.exposeFunction('reportViolation', (text: string) => void consoleErrors.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.violatedDirective} refused ${event.blockedURI}`);
    });
  });
}
