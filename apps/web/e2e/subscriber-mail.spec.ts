import { accountOf, expect, test } from './fixtures';
import { header, linkIn, MailServer } from './mail-server';
import { Operator } from './operator';
import { Server } from './server';

test('a visitor subscribes, gets the mails of an incident as one thread, and unsubscribes by a link in them', async ({
  browser,
  playwright,
}) => {
  const mail = await MailServer.start();
  const server = await Server.start({
    ALLCLEAR_SMTP_URL: mail.url,
    ALLCLEAR_MAIL_FROM: 'Status <status@example.com>',
  });
  const request = await playwright.request.newContext({ baseURL: server.url });
  const context = await browser.newContext({ baseURL: server.url });
  try {
    const operator = new Operator(accountOf('Ada Lovelace'), request);
    await operator.signUp(server);
    const organisation = await operator.createOrganisation('Analytical Engines');
    const page = await context.newPage();
    const email = 'grace@example.com';

    await page.goto(organisation.statusPage);
    await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
    const dialog = page.getByRole('dialog', { name: 'Subscribe Via Email' });
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await expect(page.getByText('Verification email sent successfully')).toBeVisible();
    const [verification] = await mail.received(email, 1);
    expect(verification).toBeDefined();
    if (!verification) return;
    await page.goto(linkIn(verification, '/verify'));
    await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();

    const { id } = await organisation.call<{ id: string }>('POST', '/incident/create', {
      title: 'Cards are declined',
      description: `At every till: https://cards.example/${'a'.repeat(120)}`,
      status: 'INVESTIGATING',
    });
    await organisation.call('POST', `/incident/${id}/updates/create`, {
      status: 'IDENTIFIED',
      message: 'A certificate has expired.',
    });
    const [, opened, update] = await mail.received(email, 3);
    expect(opened?.subject).toContain('Cards are declined');
    expect(update?.text).toContain('A certificate has expired.');
    if (!opened || !update) return;
    // The update refers to the first mail, so that they are one thread.
    expect(header(opened, 'references')).toBe('');
    expect(header(opened, 'message-id')).not.toBe('');
    expect(header(update, 'references')).toBe(header(opened, 'message-id'));
    expect(header(update, 'message-id')).not.toBe(header(opened, 'message-id'));
    expect(header(opened, 'list-unsubscribe')).toContain(
      '/api/v1/subscriber/unsubscribe/one-click',
    );
    expect(header(opened, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');

    const phone = await browser.newPage({ viewport: { width: 390, height: 800 } });
    await phone.setContent(opened.html);
    // The mail is as wide as the screen although the address in it is longer.
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await phone.close();

    await page.goto(linkIn(update, '/unsubscribe'));
    await expect(page.getByRole('heading', { name: 'Successfully Unsubscribed' })).toBeVisible();

    // No subscriber is left: the next mail to the address belongs to a new subscription.
    await organisation.call('POST', `/incident/${id}/updates/create`, {
      status: 'RESOLVED',
      message: 'A new one is there.',
    });
    await organisation.call('POST', '/subscriber/public', { email, orgId: organisation.id });
    const mails = await mail.received(email, 4);
    expect(linkIn(mails[3] ?? update, '/verify')).not.toBe('');
  } finally {
    await context.close();
    await request.dispose();
    await server.remove();
    mail.stop();
  }
});
