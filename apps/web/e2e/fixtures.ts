import { test as base, type BrowserContext } from '@playwright/test';
import { Operator, type Organisation } from './operator';
import { Server } from './server';

interface TestFixtures {
  /** A new organisation of the operator. */
  organisation: Organisation;
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
      const account = {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        password: 'correct horse battery',
      };
      const operator = new Operator(account, request);
      await operator.signUp();
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
