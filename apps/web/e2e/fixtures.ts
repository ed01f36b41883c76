import { test as base, type BrowserContext, type Page } from '@playwright/test';
import { Operator, type Account, type Organisation } from './operator';
import { Server } from './server';

interface TestFixtures {
  /** A new organisation of the operator. */
  organisation: Organisation;
  /** A server of its own, on which nobody has an account yet. */
  installation: Server;
  /** Somebody else with an account, and no organisation yet. */
  newcomer: Operator;
  /** A browser of its own, signed in as the operator of the organisation. `page` is a stranger's. */
  desk: Page;
  /** What the browser complained of; a test that leaves something in it fails. */
  complaints: string[];
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
    // A page whose server goes away says so in the console.
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
  desk: async ({ browser, server, operator, organisation, complaints }, use) => {
    await operator.bearer(organisation.id);
    const context = await browser.newContext({ baseURL: server.url });
    await listen(context, complaints);
    await operator.signIn(context);
    await use(await context.newPage());
    await context.close();
  },
  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      await listen(context, complaints);
      await use(complaints);
      if (complaints.length > 0)
        throw new Error(`The browser complained:\n${complaints.join('\n')}`);
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';

export function accountOf(name: string): Account {
  const address = name.toLowerCase().replaceAll(' ', '.');
  return { name, email: `${address}@example.com`, password: 'correct horse battery' };
}

/** Errors of scripts, errors in the console, and what the content security policy refused. */
export async function listen(context: BrowserContext, complaints: string[]): Promise<void> {
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await context.exposeFunction('reportViolation', (text: string) => void complaints.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.violatedDirective} refused ${event.blockedURI}`);
    });
  });
}
