import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { apiBase, endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { apiUrl, hold, problem, server, settled, success } from '@/testing/server';
import { noMail } from './fixtures';
import { subscriberRoutes } from './routes';

const csv = 'email\nada@example.com\nnobody\n';
const report = { rows: 2, added: 1, known: 0, failed: 1 };
const errors = [{ line: 3, message: 'Invalid email address' }];

/** The queries and bodies of the imports. */
const calls: [query: string, body: string][] = [];

beforeEach(() => {
  calls.length = 0;
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () => success(noMail)),
    http.get(apiUrl(endpoints.subscribers.list), () => success([])),
    http.post(apiUrl('/subscriber/import'), async ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      expect(request.headers.get('Content-Type')).toBe('text/csv');
      calls.push([search, await request.text()]);
      return success({ dryRun: searchParams.get('dryRun') === 'true', ...report, errors });
    }),
  );
});

async function open() {
  const { user } = renderRoutes(subscriberRoutes, { path: paths.subscribers });
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Import' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Import Subscribers' }));
  const choose = (text: string) =>
    user.upload(
      dialog.getByLabelText(/^CSV file/),
      new File([text], 'a.csv', { type: 'text/csv' }),
    );
  const submit = () => user.click(dialog.getByRole('button', { name: 'Import' }));
  return { user, dialog, choose, submit };
}

const toasts = () => within(screen.getByRole('region', { name: /Notifications/ }));

it('checks a file, imports it, and shows what was left out until that is closed', async () => {
  const { user, dialog, choose, submit } = await open();
  await submit();
  expect(await dialog.findByText('Choose a file')).toBeInTheDocument();
  await choose(csv);
  expect(await dialog.findByText('Line 3')).toBeInTheDocument();
  expect(dialog.getByText('Invalid email address')).toBeInTheDocument();
  await submit();
  const result = within(await screen.findByRole('dialog', { name: 'Import Result' }));
  expect(screen.queryByRole('dialog', { name: 'Import Subscribers' })).not.toBeInTheDocument();
  const leftOut = within(result.getByRole('region', { name: 'Lines that were left out' }));
  expect(leftOut.getByText('Line 3')).toBeInTheDocument();
  expect(leftOut.getByText('Invalid email address')).toBeInTheDocument();
  await user.click(result.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await waitFor(() => expect(screen.getByRole('button', { name: 'More' })).toHaveFocus());
  expect(calls).toEqual([
    ['?dryRun=true', csv],
    ['?dryRun=false', csv],
  ]);
});

/** Serves the report of a file without errors, and how many mails may still be sent. */
function serveReport(more: object, meta?: { mailsLeft: number }) {
  const none = { rows: 3, added: 0, known: 0, failed: 0, errors: [] };
  server.use(
    http.post(apiUrl('/subscriber/import'), ({ request }) => {
      const dryRun = request.url.includes('dryRun=true');
      return HttpResponse.json({ data: { dryRun, ...none, ...more }, meta });
    }),
  );
}

it('names the known rows, and shows no success when nothing was added', async () => {
  serveReport({ known: 3 });
  const { dialog, choose, submit } = await open();
  await choose(csv);
  await dialog.findByText('Known');
  await submit();
  const text = await toasts().findByText('0 subscribers imported, 3 already known');
  const item = text.closest('li');
  expect(item).not.toBeNull();
  expect(item?.querySelector('.text-operational')).toBeNull();
});

it.each([
  [2, 'Only 2 of 3 new addresses'],
  [0, 'None of 3 new addresses'],
])('says that %d mails are too few, unless the people have agreed', async (mailsLeft, text) => {
  serveReport({ added: 3 }, { mailsLeft });
  const { user, dialog, choose } = await open();
  await choose(csv);
  const limit = await dialog.findByText(new RegExp(`^${text} can be asked to confirm today`));
  await user.click(dialog.getByRole('checkbox', { name: /^These people have agreed/ }));
  expect(limit).not.toBeInTheDocument();
});

it('says nothing about the limit of mails while enough are left', async () => {
  serveReport({ added: 3 }, { mailsLeft: 3 });
  const { dialog, choose } = await open();
  await choose(csv);
  await dialog.findByText('Known');
  expect(dialog.queryByText(/can be asked to confirm/)).not.toBeInTheDocument();
});

it('sends the statement that the people have agreed, which it asks for', async () => {
  const { user, dialog, choose, submit } = await open();
  await choose(csv);
  await dialog.findByText('Line 3');
  await user.click(
    dialog.getByRole('checkbox', { name: 'These people have agreed to receive updates' }),
  );
  await submit();
  expect(await dialog.findByText('Say how and when they agreed')).toBeInTheDocument();
  await user.type(dialog.getByRole('textbox', { name: /^How and when/ }), 'Contract of 2026');
  await submit();
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]?.[0]).toBe('?dryRun=false&confirmed=true&consent=Contract+of+2026');
});

it('says why a file cannot be checked, and does not import it', async () => {
  server.use(
    http.post(new URL(`${apiBase}/subscriber/import`, window.location.origin).href, () =>
      problem(422, 'The header is missing'),
    ),
  );
  const { dialog, choose, submit } = await open();
  await choose('x');
  expect(await dialog.findByText('The header is missing')).toBeInTheDocument();
  await submit();
  expect(dialog.getByText('The header is missing')).toBeInTheDocument();
  expect(screen.getByRole('dialog', { name: 'Import Subscribers' })).toBeInTheDocument();
});

it.each([
  ['succeeds', success({ dryRun: true, rows: 9, added: 9, known: 0, failed: 0, errors: [] })],
  ['fails', problem(422, 'The header is missing')],
])('keeps the newest file when the check of an older one %s later', async (_, outcome) => {
  const { held, release } = hold();
  let isSent = false;
  server.use(
    http.post(
      apiUrl('/subscriber/import'),
      async () => {
        await held;
        isSent = true;
        return outcome;
      },
      { once: true },
    ),
  );
  const { dialog, choose, submit } = await open();
  await choose('email\nolder@example.com\n');
  await choose(csv);
  await dialog.findByText('Line 3');
  release();
  await expect.poll(() => isSent).toBe(true);
  await settled();
  expect(dialog.getByText('Line 3')).toBeInTheDocument();
  await submit();
  await waitFor(() => expect(calls.at(-1)).toEqual(['?dryRun=false', csv]));
});

it('checks a corrected file of the same name', async () => {
  server.use(
    http.post(apiUrl('/subscriber/import'), () => problem(422, 'The header is missing'), {
      once: true,
    }),
  );
  const { user, dialog } = await open();
  const field = dialog.getByLabelText(/^CSV file/);
  // Like a browser, `upload` fires no event when the field has the file already.
  const file = new File([csv], 'people.csv', { type: 'text/csv' });
  await user.upload(field, file);
  expect(await dialog.findByText('The header is missing')).toBeInTheDocument();
  expect(field).toHaveProperty('files.0.name', 'people.csv');
  await user.upload(field, file);
  expect(await dialog.findByText('Line 3')).toBeInTheDocument();
});

it('says what it waits for when the import is pressed during the check', async () => {
  const { held, release } = hold();
  server.use(
    http.post(
      apiUrl('/subscriber/import'),
      async () => {
        await held;
        return success({ dryRun: true, ...report, errors });
      },
      { once: true },
    ),
  );
  const { dialog, choose, submit } = await open();
  await choose(csv);
  expect(dialog.getByText('Checking a.csv…')).toBeInTheDocument();
  await submit();
  expect(await dialog.findByText('Wait until the file is checked')).toBeInTheDocument();
  release();
  await dialog.findByText('Line 3');
  expect(dialog.queryByText('Wait until the file is checked')).not.toBeInTheDocument();
  await submit();
  await waitFor(() => expect(calls).toEqual([['?dryRun=false', csv]]));
});
