import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { Webhook } from 'standardwebhooks';
import { expect, test as base } from './fixtures';
import type { Organisation } from './operator';
import { linkTo, Receiver, type ReceivedMessage } from './receiver';
import { Server } from './server';

const settings = { ALLCLEAR_WEBHOOK_ALLOW: '127.0.0.1', ALLCLEAR_WEBHOOK_HTTP: 'true' };

const test = base.extend<{ receiver: Receiver }, object>({
  server: [
    async ({}, use) => {
      const server = await Server.start(settings);
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  receiver: async ({}, use) => {
    const receiver = await Receiver.start();
    await use(receiver);
    await receiver.stop();
  },
});

interface Created {
  id: string;
}

function openIncident(organisation: Organisation, title: string, componentId?: string) {
  return organisation.call<Created>('POST', '/incident/create', {
    title,
    description: 'We look.',
    status: 'INVESTIGATING',
    components: componentId ? [{ componentId, status: 'MAJOR_OUTAGE' }] : [],
  });
}

const update = (organisation: Organisation, { id }: Created, message: string) =>
  organisation.call('POST', `/incident/${id}/updates/create`, { status: 'IDENTIFIED', message });

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Opens the menu of a row and chooses an item. */
async function choose(page: Page, target: string, item: string) {
  await rowOf(page, target)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Verifies the signature of a message. */
function verify(secret: string, { body, headers }: ReceivedMessage): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

test('a visitor chooses a component, and manages the subscription by the link in a mail', async ({
  page,
  operatorPage,
  organisation,
  server,
}) => {
  const email = 'grace.components@example.com';
  const website = await organisation.createComponent('Website');
  const api = await organisation.createComponent('API');
  await page.goto(organisation.statusPage);
  await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
  const dialog = page.getByRole('dialog', { name: 'Subscribe Via Email' });
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('radio', { name: 'Chosen components' }).check();
  await dialog.getByRole('checkbox', { name: 'API' }).check();
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByText('Verification email sent successfully')).toBeVisible();
  await page.goto(await server.mailedLink(email, '/verify'));
  await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();

  await openIncident(organisation, 'Website down', website.id);
  await openIncident(organisation, 'API down', api.id);
  const subjects = async () => (await server.mailedSubjects(email)).join();
  await expect.poll(subjects).toContain('API down');
  expect(await subjects()).not.toContain('Website down');

  const link = await server.mailedLink(email, '/subscription');
  // A mail scanner opens links, which must change nothing.
  expect((await page.request.get(link)).status()).toBe(200);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Manage Subscription' })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'API' })).toBeChecked();
  await page.getByRole('checkbox', { name: 'Mute maintenance' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Subscription updated')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Mute maintenance' })).toBeChecked();

  await operatorPage.goto('/subscribers');
  await expect(rowOf(operatorPage, email)).toContainText('API, no maintenances');
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByRole('heading', { name: 'Successfully Unsubscribed' })).toBeVisible();
  await operatorPage.reload();
  await expect(rowOf(operatorPage, email)).toContainText('Unsubscribed');
});

test('a visitor follows one incident in a channel of Slack', async ({
  page,
  organisation,
  receiver,
}) => {
  const incident = await openIncident(organisation, 'Payments fail');
  await page.goto(organisation.statusPage);
  await page.getByRole('button', { name: 'Follow this incident: Payments fail' }).click();
  const dialog = page.getByRole('dialog', { name: 'Follow This Incident' });
  await dialog.getByRole('combobox', { name: 'Channel' }).selectOption('Slack');
  // An address without a server: visitors cannot enter that of the receiver.
  await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill('https://[2e00::1]/slack');
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByText('Verification message sent successfully')).toBeVisible();
  await expect(dialog).toBeHidden();
  const stored = await page.evaluate(() => JSON.stringify([localStorage, location.href]));
  expect(stored).not.toContain('slack');

  await organisation.call('POST', '/subscriber', {
    channel: 'slack',
    target: `${receiver.url}/slack`,
    incidentId: incident.id,
  });
  const [first] = await receiver.received('/slack', 1);
  if (!first) return;
  await page.goto(linkTo('/verify', first));
  await expect(page.getByRole('heading', { name: 'Subscription Confirmed!' })).toBeVisible();

  await openIncident(organisation, 'Another one');
  await update(organisation, incident, 'The bank is down.');
  const [, second] = await receiver.received('/slack', 2);
  expect(second?.body).toContain('The bank is down.');
});

test('an operator adds a webhook, whose requests are signed, and changes its secret', async ({
  page,
  operatorPage,
  organisation,
  receiver,
}) => {
  await organisation.createComponent('Website');
  const toasts = operatorPage.getByRole('region', { name: /^Notifications/ });
  await operatorPage.goto('/subscribers');
  await operatorPage.getByRole('button', { name: 'New Subscriber' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Add New Subscriber' });
  await dialog.getByRole('combobox', { name: 'Channel' }).selectOption('Webhook');
  await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill(`${receiver.url}/receivers/hook`);
  await dialog.getByRole('button', { name: 'Add Subscriber' }).click();
  const shown = operatorPage.getByRole('dialog', { name: 'Secret of the Webhook' });
  const field = shown.getByRole('textbox', { name: 'Signing secret' });
  await expect(field).toHaveValue(/^whsec_/);
  const secret = await field.inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await operatorPage
    .getByRole('alertdialog', { name: 'Close without a copy?' })
    .getByRole('button', { name: 'Close' })
    .click();
  await expect(rowOf(operatorPage, '/…hook')).toContainText(/Webhook.*Pending/);

  const [first] = await receiver.received('/receivers/hook', 1);
  if (!first) return;
  expect(verify(secret, first)).toHaveProperty('confirmation.url');
  await page.goto(linkTo('/verify', first));
  await expect(page.getByRole('heading', { name: 'Subscription Confirmed!' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Signing secret' })).toHaveValue(secret);

  await operatorPage.reload();
  await choose(operatorPage, '/…hook', 'Rotate Secret');
  await operatorPage.getByRole('button', { name: 'Rotate', exact: true }).click();
  await expect(field).toHaveValue(/^whsec_/);
  const rotated = await field.inputValue();
  expect(rotated).not.toBe(secret);
  await shown.getByRole('button', { name: 'Done' }).click();
  await operatorPage
    .getByRole('alertdialog', { name: 'Close without a copy?' })
    .getByRole('button', { name: 'Close' })
    .click();
  await choose(operatorPage, '/…hook', 'Send Test Message');
  await expect(toasts.getByText('The test message has arrived')).toBeVisible();
  const [, tested] = await receiver.received('/receivers/hook', 2);
  if (!tested) return;
  for (const each of [secret, rotated]) verify(each, tested);
});

test('an operator imports addresses, sees the lines with errors, previews messages and exports', async ({
  operatorPage,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await operatorPage.goto('/subscribers');
  await operatorPage.getByRole('button', { name: 'More' }).click();
  await operatorPage.getByRole('menuitem', { name: 'Import' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Import Subscribers' });
  const csv = 'email,components\nann@example.com,Website\nnobody,\nbob@example.com,Nothing\n';
  await dialog
    .getByLabel('CSV file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  const lines = dialog.getByRole('region', { name: 'Lines with errors' });
  await expect(lines).toContainText('Line 3');
  await expect(lines).toContainText('Line 4');
  await dialog.getByRole('checkbox', { name: /^These people have agreed/ }).check();
  await dialog.getByRole('textbox', { name: /^How and when/ }).fill('Contract of 2026');
  await dialog.getByRole('button', { name: 'Import' }).click();
  const result = operatorPage.getByRole('dialog', { name: 'Import Result' });
  await expect(result.getByRole('region', { name: 'Lines that were left out' })).toContainText(
    'Line 4',
  );
  await result.getByRole('button', { name: 'Done' }).click();
  await expect(rowOf(operatorPage, 'ann@example.com')).toContainText(/Website.*Subscribed/);

  await operatorPage.getByRole('button', { name: 'More' }).click();
  await operatorPage.getByRole('menuitem', { name: 'Message previews' }).click();
  const previews = operatorPage.getByRole('dialog', { name: 'Message Previews' });
  // The policy of the page forbids inline styles, which the mail has all the same.
  const mail = previews.frameLocator('iframe');
  await expect(mail.getByRole('heading', { name: 'Elevated error rates' })).toBeVisible();
  await expect(mail.locator('body')).toHaveCSS('background-color', 'rgb(244, 245, 247)');
  await previews.getByRole('combobox', { name: 'Channel' }).selectOption('Slack');
  await expect(previews.getByRole('region', { name: 'Message for Slack' })).toContainText('blocks');
  await operatorPage.keyboard.press('Escape');

  const saved = operatorPage.waitForEvent('download');
  await operatorPage.getByRole('button', { name: 'More' }).click();
  await operatorPage.getByRole('menuitem', { name: 'Export mail addresses' }).click();
  const file = await (await saved).path();
  expect(await readFile(file, 'utf8')).toContain('ann@example.com,Website,SUBSCRIBED,true');
});

test('an operator sees why a webhook fails, and repairs it', async ({
  page,
  operatorPage,
  organisation,
  receiver,
  server,
}) => {
  test.slow();
  await organisation.call('POST', '/subscriber', {
    channel: 'webhook',
    target: `${receiver.url}/receivers/weak`,
  });
  const [first] = await receiver.received('/receivers/weak', 1);
  if (!first) return;
  await page.goto(linkTo('/verify', first));
  await expect(page.getByRole('heading', { name: 'Subscription Confirmed!' })).toBeVisible();

  // A page reports the end of its server in the console.
  await page.goto('about:blank');
  await server.stop();
  await server.startAgain({ ALLCLEAR_WEBHOOK_ALLOW: '192.0.2.1' });
  await openIncident(organisation, 'Payments fail');
  const failing = async () => {
    const all = await organisation.call<{ failing: object | null }[]>('GET', '/subscriber/list');
    return all[0]?.failing ?? null;
  };
  await expect.poll(failing).not.toBeNull();
  await operatorPage.goto('/dashboard');
  await operatorPage.getByRole('link', { name: '1 Unreachable addresses' }).click();
  await expect(operatorPage).toHaveURL('/subscribers?state=failing');
  await expect(rowOf(operatorPage, '/…weak')).toContainText(/Failing since .+: .+/);

  await operatorPage.goto('about:blank');
  await server.stop();
  await server.startAgain(settings);
  await operatorPage.goto('/subscribers?state=failing');
  await choose(operatorPage, '/…weak', 'Send Test Message');
  await expect(operatorPage.getByText('The test message has arrived')).toBeVisible();
  await expect(operatorPage.getByText('No subscriber matches the filter.')).toBeVisible();
  await expect.poll(failing).toBeNull();
});
