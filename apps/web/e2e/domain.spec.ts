import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { APIRequestContext, BrowserContext } from '@playwright/test';
import { accountOf, expect, test } from './fixtures';
import { hostPage } from './host-page';
import { Operator, type Organisation } from './operator';
import type { Server } from './server';

/** A name that browsers look up on this machine. */
const domain = 'status.acme.localhost';

/** The address of a path on the domain, at the installation's port. */
function onDomain(installation: Server, path = '/'): string {
  return `http://${domain}:${new URL(installation.url).port}${path}`;
}

/**
 * Makes the installation check domains at its own port, and signs an operator in who
 * has an organisation.
 */
async function prepare(
  installation: Server,
  context: BrowserContext,
  request: APIRequestContext,
): Promise<Organisation> {
  await installation.stop();
  const { host } = new URL(installation.url);
  await installation.startAgain({ ALLCLEAR_DOMAIN_CHECK_ADDRESS: host });
  const operator = new Operator(accountOf('Grace Hopper'), request);
  await operator.signUp(installation);
  const organisation = await operator.createOrganisation('Acme');
  await operator.bearer(organisation.id);
  await operator.signIn(context);
  return organisation;
}

/** Gives an organisation of an installation that checks domains; its operator is signed in. */
const story = test.extend<{ acme: Organisation }>({
  acme: async ({ installation, context, playwright }, use) => {
    const request = await playwright.request.newContext({ baseURL: installation.url });
    await use(await prepare(installation, context, request));
    await request.dispose();
  },
});

story(
  'an admin adds, verifies and removes a domain',
  async ({ page, installation, acme: organisation, consoleErrors }) => {
    await organisation.createComponent('Checkout');
    await page.goto(`${installation.url}/settings`);
    await page.getByRole('textbox', { name: 'Domain' }).fill(`https://${domain}`);
    await page.getByRole('button', { name: 'Add Domain' }).click();
    await expect(page.getByText(/^Must be a domain name/)).toBeVisible();
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('422')]);
    await page.getByRole('textbox', { name: 'Domain' }).fill(domain);
    await page.getByRole('button', { name: 'Add Domain' }).click();
    await expect(page.getByText('Pending', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Verify' }).click();
    await expect(page.getByText('Verified', { exact: true })).toBeVisible();

    const visitor = await page.context().newPage();
    await visitor.goto(onDomain(installation));
    await expect(visitor.getByText('Checkout')).toBeVisible();
    await expect(visitor.getByText('Live', { exact: true })).toBeVisible();
    await organisation.createComponent('Search');
    await expect(visitor.getByRole('heading', { name: 'Search' })).toBeVisible();
    const history = await visitor.goto(onDomain(installation, '/history'));
    expect(history?.status()).toBe(200);

    // The history would read itself again from a domain that is gone.
    await visitor.goto('about:blank');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByRole('button', { name: 'Add Domain' })).toBeVisible();
    await visitor.goto(onDomain(installation));
    await expect(visitor.getByText('Checkout')).toBeHidden();
  },
);

story(
  "the vendor's widget reads a domain",
  async ({ page, installation, acme: organisation, consoleErrors }) => {
    await organisation.call('PUT', '/organisation/domain', { name: domain });
    await organisation.call('POST', '/organisation/domain/verify', {});
    const { id: checkout } = await organisation.createComponent('Checkout');
    const { id: search } = await organisation.createComponent('Search');
    const change = (component: string, status: string) =>
      organisation.call('PATCH', `/component/${component}`, { status });
    const widget = createRequire(import.meta.url).resolve(
      '@statuspage/status-widget/dist/index.js',
    );
    const script = await readFile(widget, 'utf8');

    async function shows(indicator: string, description: string) {
      // The browser caches each address for ten seconds.
      const source = onDomain(installation, `/?${indicator}${description.length}`);
      const widgets = ['basic', 'badge'].map(
        (appearance) =>
          `<statuspage-widget src="${source}" appearance="${appearance}" title="acme"></statuspage-widget>`,
      );
      const host = await hostPage(
        `${widgets.join('')}<script src="/script.js"></script>`,
        "default-src * 'unsafe-inline' 'unsafe-eval'",
        script,
      );
      try {
        await page.goto(host.url);
        await expect(page.locator(`.status-indicator.${indicator}`)).toHaveCount(2);
        await expect(page.locator('.basic .status-text')).toHaveText(description);
        await expect(page.locator('.badge .status-indicator')).toHaveText(description);
        await expect(page.locator('.badge .status-text')).toHaveText('acme');
      } finally {
        await host.close();
      }
      // The end of the vendor's script fails on every page.
      expect(consoleErrors.splice(0)).toEqual(['parcelRequire is not defined']);
    }

    await shows('none', 'All Systems Operational');
    await change(search, 'DEGRADED');
    await shows('minor', 'Partially Degraded Service');
    await change(checkout, 'DEGRADED');
    await shows('minor', 'Degraded System Service');
    await change(checkout, 'PARTIAL_OUTAGE');
    await shows('minor', 'Minor Service Outage');
    await change(checkout, 'MAJOR_OUTAGE');
    await shows('major', 'Partial System Outage');
    await change(search, 'MAJOR_OUTAGE');
    await shows('critical', 'Major System Outage');
    await change(search, 'OPERATIONAL');
    await change(checkout, 'OPERATIONAL');
    await organisation.call('POST', '/maintenance/create', {
      title: 'New disks',
      description: 'They are faster.',
      startAt: new Date(Date.now() - 60_000).toISOString(),
      endAt: new Date(Date.now() + 3_600_000).toISOString(),
      components: [checkout],
    });
    await shows('maintenance', 'Service Under Maintenance');
  },
);
