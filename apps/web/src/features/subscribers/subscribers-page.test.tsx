import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Subscriber } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { renderRoutes, signedInAs } from '@/testing/render';
import { savedFiles } from '@/testing/saved-files';
import { success, apiUrl, problem, server } from '@/testing/server';
import { noMail, parts, subscriber } from './fixtures';
import { subscriberRoutes } from './routes';

beforeEach(() => {
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () => success(noMail)),
    http.get(apiUrl(endpoints.status('org-1')), () => success(parts)),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Serves `subscribers`, and deletes from them what is not `stuck`. */
function serve(subscribers: Subscriber[], stuck: string[] = []) {
  const deleted: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.subscribers.list), () => success(subscribers)),
    http.delete<{ id: string }>(apiUrl('/subscriber/:id'), ({ params: { id } }) => {
      deleted.push(id);
      if (stuck.includes(id)) return problem(403, 'Not allowed');
      subscribers.splice(
        subscribers.findIndex((candidate) => candidate.id === id),
        1,
      );
      return success({ id });
    }),
  );
  return deleted;
}

const open = () => renderRoutes(subscriberRoutes, { path: paths.subscribers });

async function openDialog() {
  const { user, router, become } = open();
  await user.click(screen.getByRole('button', { name: 'New Subscriber' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add New Subscriber' }));
  const email = await dialog.findByRole('textbox', { name: /^Email/ });
  const add = async (address: string) => {
    if (address) await user.type(email, address);
    await user.click(dialog.getByRole('button', { name: 'Add Subscriber' }));
  };
  return { dialog, email, add, user, router, become };
}

const toasts = () => within(screen.getByRole('region', { name: /Notifications/ }));
const rowOf = (email: string) => screen.getByText(email).closest('tr') ?? document.body;
const addresses = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[1]?.textContent);

it('shows each subscriber with its status', async () => {
  serve([
    subscriber('ada', { status: 'PENDING', isVerified: false }),
    subscriber('bob'),
    subscriber('eve', { status: 'UNSUBSCRIBED' }),
  ]);
  open();
  expect(screen.getByRole('heading', { level: 1, name: 'Subscribers' })).toBeInTheDocument();
  expect(document.title).toBe('Subscribers · Allclear');
  await screen.findByText('ada@example.com');
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    '',
    'Email',
    'Channel',
    'Updates about',
    'Status',
    'Verified',
    'Subscribed At',
    'Actions',
    'Delete',
  ]);
  for (const [name, status, tone, verified] of [
    ['ada', 'Pending', 'degraded', 'Not Verified'],
    ['bob', 'Subscribed', 'operational', 'Verified'],
    ['eve', 'Unsubscribed', 'major', 'Verified'],
  ] as const) {
    const row = within(rowOf(`${name}@example.com`));
    expect(row.getByText(status)).toHaveAttribute('data-tone', tone);
    expect(row.getByText(verified)).toBeInTheDocument();
    expect(row.getByText('Nov 20, 2026 11:00:00 AM')).toBeInTheDocument();
    expect(row.getByRole('button', { name: `Delete ${name}@example.com` })).toBeInTheDocument();
  }
});

it('sorts by what its columns show, and not by what a subscriber has chosen', async () => {
  serve([subscriber('ada')]);
  open();
  await screen.findByText('ada@example.com');
  const headers = screen.getAllByRole('columnheader');
  const sortable = headers.filter((header) => header.hasAttribute('aria-sort'));
  expect(sortable.map((header) => header.textContent)).toEqual([
    'Email',
    'Channel',
    'Status',
    'Verified',
    'Subscribed At',
  ]);
  const chosen = screen.getByText('Everything', { selector: 'td' });
  expect(chosen).toHaveAttribute('data-label', 'Updates about');
});

it('shows a spinner until the subscribers are there', async () => {
  serve([subscriber('ada')]);
  open();
  expect(screen.getByRole('status')).toHaveTextContent('Loading subscribers...');
  await screen.findByText('ada@example.com');
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it('reads the list and the messages again every minute while the page is visible', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const subscribers = [subscriber('ada')];
  serve(subscribers);
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  open();
  await screen.findByText('ada@example.com');
  subscribers.unshift(subscriber('bob'));
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () => success({ ...noMail, sent: 7 })),
  );
  await act(() => vi.advanceTimersByTimeAsync(61_000));
  expect(addresses()).toEqual(['ada@example.com']);
  visibility.mockReturnValue('visible');
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await waitFor(() => expect(addresses()).toEqual(['bob@example.com', 'ada@example.com']));
  const messages = await screen.findByRole('region', { name: /^Messages of the last/ });
  expect(messages).toHaveTextContent('Sent7');
});

it('says that the list could not be read, and tries again when asked', async () => {
  server.use(
    http.get(apiUrl(endpoints.subscribers.list), () => problem(403, 'Choose an organisation'), {
      once: true,
    }),
  );
  const { user } = open();
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
  expect(await toasts().findByText('Error while fetching subscribers')).toBeInTheDocument();
  serve([subscriber('ada')]);
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
});

it('adds and shows a subscriber who has yet to confirm the address', async () => {
  const subscribers = [subscriber('bob')];
  serve(subscribers);
  server.use(
    http.post(apiUrl(endpoints.subscribers.create), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@example.com' });
      expect(request.headers.get('Authorization')).toBe('Bearer test-token');
      subscribers.unshift(subscriber('ada', { status: 'PENDING', isVerified: false }));
      return success(subscribers[0], { status: 201 });
    }),
  );
  const { add } = await openDialog();
  await add(' ada@example.com ');
  expect(await toasts().findByText('Verification email sent successfully')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await waitFor(() => expect(addresses()).toEqual(['ada@example.com', 'bob@example.com']));
});

it.each(['', 'ada', 'ada@'])('refuses %j as an address without asking', async (typed) => {
  serve([]);
  const { dialog, email, add } = await openDialog();
  await add(typed);
  expect(await dialog.findByText('Invalid email address')).toBeInTheDocument();
  expect(email).toHaveFocus();
});

it('says why an address is refused, and keeps it', async () => {
  serve([]);
  server.use(
    http.post(apiUrl(endpoints.subscribers.create), () => problem(409, 'Already subscribed')),
  );
  const { dialog, email, add } = await openDialog();
  await add('ada@example.com');
  expect(await toasts().findByText('Already subscribed')).toBeInTheDocument();
  expect(dialog.queryByText('Already subscribed')).not.toBeInTheDocument();
  expect(email).toHaveValue('ada@example.com');
});

it.each([
  ['no response arrives', () => HttpResponse.error()],
  ['the response has no message', () => new HttpResponse('<html>', { status: 502 })],
])('says that it failed when %s', async (_, failure) => {
  serve([]);
  server.use(http.post(apiUrl(endpoints.subscribers.create), failure));
  const { add } = await openDialog();
  await add('ada@example.com');
  expect(await toasts().findByText('Failed to create subscriber')).toBeInTheDocument();
});

it('says above the list where mails are without a mail server', async () => {
  serve([subscriber('ada')]);
  renderRoutes(subscriberRoutes, { path: paths.subscribers, configuration: { mailServer: false } });
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
  expect(screen.getByText(/^No mail server is set up here yet/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'How mail is set up' })).toHaveAttribute(
    'href',
    paths.guide('mail'),
  );
});

it.each([
  ['', 'Export mail addresses', ''],
  [
    '?state=pending&channel=email',
    'Export filtered mail addresses',
    '?channel=email&status=PENDING',
  ],
])('exports what the filter %j selects', async (filter, name, sent) => {
  serve([subscriber('ada')]);
  const files = savedFiles();
  const queries: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.subscribers.export), ({ request }) => {
      queries.push(new URL(request.url).search);
      return HttpResponse.text('email\n');
    }),
  );
  const { user } = renderRoutes(subscriberRoutes, { path: paths.subscribers + filter });
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name }));
  await waitFor(() => expect(files.map((file) => file.name)).toEqual(['subscribers.csv']));
  expect(queries).toEqual([sent]);
});

it('says “error” when a deletion fails', async () => {
  serve([subscriber('ada')], ['ada']);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Delete ada@example.com' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await toasts().findByText('error')).toBeInTheDocument();
  expect(screen.getByText('ada@example.com')).toBeInTheDocument();
});

it('keeps the typed address when the user loses the right to write', async () => {
  serve([]);
  const { email, user, become } = await openDialog();
  await user.type(email, 'ada@example.com');
  become(signedInAs('viewer'));
  expect(email).toBeInTheDocument();
  expect(email).toHaveValue('ada@example.com');
});
