import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { accountOf, expect, test } from './fixtures';
import { Operator } from './operator';
import { Server } from './server';
import { TcpProxy } from './tcp-proxy';

/** The PostgreSQL server that `.ci/with-servers` has started. */
const postgres = process.env.ALLCLEAR_TEST_POSTGRES_URL;

/** Creates an empty database and returns its URL. It is removed with its server. */
async function createDatabase(server: string): Promise<URL> {
  const name = `e2e_${process.pid}_${Date.now()}`;
  await promisify(execFile)('psql', [`${server}/postgres`, '-qc', `CREATE DATABASE ${name}`]);
  return new URL(`${server}/${name}`);
}

test('a page that cannot be read says so, and appears by itself once the database is back', async ({
  page,
  playwright,
  consoleErrors,
}) => {
  // With CI set, a missing part is a failure.
  test.skip(!postgres && !process.env.CI, 'There is no PostgreSQL');
  const database = await createDatabase(postgres ?? '');
  const network = await TcpProxy.before(database.hostname, Number(database.port));
  database.port = String(network.port);
  const server = await Server.start({
    ALLCLEAR_DATABASE_URL: database.href,
    ALLCLEAR_LOG: 'off',
  });
  const request = await playwright.request.newContext({ baseURL: server.url });
  try {
    const operator = new Operator(accountOf('Grace Hopper'), request);
    await operator.signUp(server);
    const organisation = await operator.createOrganisation('Compilers');
    await organisation.createComponent('Website');
    const address = server.url + organisation.statusPage;

    network.break();
    const response = await page.goto(address);
    expect(response?.status()).toBe(503);
    const reason = page.getByRole('heading', { name: 'This page cannot be shown at the moment' });
    await expect(reason).toBeVisible();
    await expect(page.getByRole('link', { name: 'Try again' })).toBeVisible();
    // The script has run, so the policy allows it.
    await expect(page.getByText('It appears as soon as it is available again.')).toBeVisible();

    let navigations = 0;
    page.on('framenavigated', () => (navigations += 1));
    const attempt = await page.waitForResponse(address);
    expect(attempt.status()).toBe(503);
    expect(attempt.request().isNavigationRequest()).toBe(false);
    await expect(reason).toBeVisible();
    expect(navigations).toBe(0);

    network.restore();
    const heading = page.getByRole('heading', { level: 1, name: organisation.name });
    await expect(heading).toBeVisible();
    await expect(page.getByText('Website')).toBeVisible();
    expect(navigations).toBe(1);
    // The console reports the responses during the outage.
    expect(consoleErrors.splice(0).filter((text) => !text.includes('503'))).toEqual([]);
  } finally {
    // A page reports the end of its server in the console.
    await page.close();
    await request.dispose();
    network.restore();
    await server.remove();
    await network.close();
  }
});
