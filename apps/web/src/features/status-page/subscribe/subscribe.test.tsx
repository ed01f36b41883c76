import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { toast } from '@/ui/toast';
import { SubscribeButton } from './subscribe-button';

// What the button loads when it is pressed is slow to load the first time.
beforeAll(() => import('./standalone-subscribe-dialog'));
beforeEach(() => toast.remove());

async function open() {
  render(<SubscribeButton standalone orgId="org-1" />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Subscribe To Updates' }));
  await screen.findByRole('dialog', { name: 'Subscribe Via Email' });
  return user;
}
const email = () => screen.getByRole('textbox', { name: /^Email/ });
const submit = () => screen.getByRole('button', { name: 'Subscribe' });

it('subscribes, shows the message of the response and closes', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'eve@example.com', orgId: 'org-1' });
      expect(request.headers.has('Authorization')).toBe(false);
      return success(null, { message: 'Check your mail' });
    }),
  );
  const user = await open();
  await user.type(email(), ' eve@example.com ');
  await user.click(submit());
  expect(await screen.findByText('Check your mail')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it.each(['', 'eve', 'eve@'])(
  'refuses %j as an address before it asks the server',
  async (typed) => {
    const user = await open();
    if (typed) await user.type(email(), typed);
    await user.click(submit());
    expect(await screen.findByText('Invalid email address')).toBeVisible();
    expect(email()).toHaveFocus();
  },
);

it('keeps what was typed when the server refuses, and says why', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), () =>
      problem(422, 'That address cannot be used', [{ field: 'email', message: 'No such host' }]),
    ),
  );
  const user = await open();
  await user.type(email(), 'eve@example.com');
  await user.click(submit());
  expect(await screen.findByText('That address cannot be used')).toBeVisible();
  expect(screen.getByText('No such host')).toBeVisible();
  expect(email()).toHaveValue('eve@example.com');
});

it('says in the dialog, too, why no field is to blame', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), () => problem(429, 'Too many: try later')),
  );
  const user = await open();
  await user.type(email(), 'eve@example.com');
  await user.click(submit());
  const dialog = within(screen.getByRole('dialog', { name: 'Subscribe Via Email' }));
  expect(await dialog.findByText('Too many: try later')).toBeVisible();
});

it('reports a failure when a response has no message', async () => {
  server.use(
    http.post(
      apiUrl(endpoints.subscribers.subscribe),
      () => new Response('<html>', { status: 502 }),
    ),
  );
  const user = await open();
  await user.type(email(), 'eve@example.com');
  await user.click(submit());
  expect(await screen.findByText('Failed to create subscriber')).toBeVisible();
});

it('leaves what it has to say to the toaster of the app around it', async () => {
  render(<SubscribeButton orgId="org-1" />);
  await userEvent.click(screen.getByRole('button', { name: 'Subscribe To Updates' }));
  await screen.findByRole('dialog', { name: 'Subscribe Via Email' });
  expect(document.querySelector('[data-toaster]')).toBeNull();
});

it('says that its form could not be loaded, until it can', async () => {
  vi.doMock('./standalone-subscribe-dialog', () => {
    throw new Error('offline');
  });
  vi.resetModules();
  const again = await import('./subscribe-button');
  render(<again.SubscribeButton standalone orgId="org-1" />);
  const button = screen.getByRole('button', { name: 'Subscribe To Updates' });
  await userEvent.click(button);
  expect(await screen.findByRole('alert')).toHaveTextContent('The form could not be loaded.');
  vi.doUnmock('./standalone-subscribe-dialog');
  vi.resetModules();
  await userEvent.click(button);
  expect(await screen.findByRole('dialog', { name: 'Subscribe Via Email' })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
