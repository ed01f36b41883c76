import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { toast } from '@/ui/toast';
import { FollowButton } from './follow-button';
import { SubscribeButton } from './subscribe-button';
import { SubscribeProvider } from './subscribe-provider';
import { aComponent, aGroup, anIncident, aSnapshot } from '@/features/status-page/fixtures';
import type { Channel, StatusSnapshot } from '@/api/types';
import type { ReactNode } from 'react';

const loadDialog = async () =>
  (await import('./standalone-subscribe-dialog')).StandaloneSubscribeDialog;

// It is slow to load the first time.
beforeAll(loadDialog);
beforeEach(() => toast.remove());

const { organisation } = aSnapshot();

function page(children: ReactNode, change: Partial<StatusSnapshot> = {}) {
  return <SubscribeProvider state={aSnapshot(change)}>{children}</SubscribeProvider>;
}

const withChannels = (...channels: Channel[]) => ({ organisation: { ...organisation, channels } });

const subscribePage = (change: Partial<StatusSnapshot>) =>
  page(<SubscribeButton standalone loadDialog={loadDialog} />, change);

async function open(change: Partial<StatusSnapshot> = {}) {
  render(subscribePage(change));
  return openDialog();
}

async function openDialog() {
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

it('says nothing about an empty address before it is sent', async () => {
  const user = await open({ components: [aComponent({ id: 'web', name: 'Website' })] });
  expect(email()).toHaveFocus();
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(screen.getByRole('checkbox', { name: 'Website' }));
  expect(screen.queryByText('Invalid email address')).not.toBeInTheDocument();
  await user.type(email(), 'eve');
  await user.tab();
  expect(await screen.findByText('Invalid email address')).toBeVisible();
});

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

it.each<[Channel[], string]>([
  [['email'], 'Email'],
  [['slack', 'teams'], 'Channel'],
])('says of the channels %j at %s that one was switched off meanwhile', async (channels, label) => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), () =>
      problem(422, 'Invalid', [{ field: 'channel', message: 'It is switched off' }]),
    ),
  );
  render(subscribePage(withChannels(...channels)));
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Subscribe To Updates' }));
  const address = await screen.findByRole('textbox', { name: /^Email|^Webhook URL/ });
  await user.type(address, channels[0] === 'email' ? 'eve@example.com' : 'https://example.com');
  await user.click(submit());
  const field = await screen.findByLabelText(new RegExp(`^${label}`));
  await waitFor(() => expect(field).toHaveAccessibleDescription(/It is switched off/));
  expect(screen.getAllByText('It is switched off')).toHaveLength(1);
});

it('says once, in a toast, why the server refuses, and keeps the dialog open', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), () => problem(429, 'Too many: try later')),
  );
  const user = await open();
  await user.type(email(), 'eve@example.com');
  await user.click(submit());
  const reason = await screen.findByText('Too many: try later');
  expect(reason.closest('[data-toaster]')).not.toBeNull();
  await waitFor(() => expect(submit()).toBeEnabled());
  expect(screen.getAllByText('Too many: try later')).toHaveLength(1);
  expect(email()).toHaveValue('eve@example.com');
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
  const dialog = within(screen.getByRole('dialog', { name: 'Subscribe Via Email' }));
  expect(await dialog.findByText('The server responded with status 502')).toBeVisible();
});

it('leaves what it has to say to the toaster of the app around it', async () => {
  const loadDialog = async () => (await import('./subscribe-dialog')).SubscribeDialog;
  render(page(<SubscribeButton loadDialog={loadDialog} />));
  await userEvent.click(screen.getByRole('button', { name: 'Subscribe To Updates' }));
  await screen.findByRole('dialog', { name: 'Subscribe Via Email' });
  expect(document.querySelector('[data-toaster]')).toBeNull();
});

it('says that its form could not be loaded, until it can', async () => {
  const load = vi.fn(loadDialog).mockRejectedValueOnce(new Error('offline'));
  render(page(<SubscribeButton standalone loadDialog={load} />));
  const button = screen.getByRole('button', { name: 'Subscribe To Updates' });
  await userEvent.click(button);
  expect(await screen.findByRole('alert')).toHaveTextContent('The form could not be loaded.');
  await userEvent.click(button);
  expect(await screen.findByRole('dialog', { name: 'Subscribe Via Email' })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

/** Accepts every subscription and returns the bodies. */
function accept(message = 'Verification message sent successfully') {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.subscribe), async ({ request }) => {
      bodies.push(await request.json());
      return success(null, { message });
    }),
  );
  return bodies;
}

const eu = aGroup({ id: 'eu', name: 'Europe' });
const parts = {
  groups: [eu],
  components: [
    aComponent({ id: 'web', name: 'Website', position: 2 }),
    aComponent({ id: 'eu-1', name: 'Berlin', groupId: 'eu' }),
    aComponent({ id: 'eu-2', name: 'Paris', groupId: 'eu' }),
  ],
};
const checkbox = (name: string) => screen.getByRole('checkbox', { name });

it('subscribes to chosen components without maintenances', async () => {
  const bodies = accept();
  const user = await open(parts);
  await user.type(email(), 'eve@example.com');
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(submit());
  expect(await screen.findByText('Choose at least one')).toBeVisible();
  expect(bodies).toEqual([]);
  await user.click(checkbox('Paris'));
  await user.click(checkbox('Website'));
  await user.click(checkbox('Mute maintenance'));
  await user.click(submit());
  await waitFor(() =>
    expect(bodies).toEqual([
      {
        email: 'eve@example.com',
        components: ['eu-2', 'web'],
        muteMaintenances: true,
        orgId: 'org-1',
      },
    ]),
  );
});

it('leaves out a chosen component that is deleted meanwhile', async () => {
  const bodies = accept();
  const { rerender } = render(subscribePage(parts));
  const user = await openDialog();
  await user.type(email(), 'eve@example.com');
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(checkbox('Paris'));
  await user.click(checkbox('Website'));
  rerender(subscribePage({ ...parts, components: parts.components.slice(0, 1) }));
  await user.click(submit());
  await waitFor(() =>
    expect(bodies).toEqual([{ email: 'eve@example.com', components: ['web'], orgId: 'org-1' }]),
  );
});

it('does not subscribe to everything when all that was chosen is deleted', async () => {
  const bodies = accept();
  const { rerender } = render(subscribePage(parts));
  const user = await openDialog();
  await user.type(email(), 'eve@example.com');
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(checkbox('Website'));
  rerender(subscribePage({}));
  await user.click(submit());
  // The server refuses it.
  await waitFor(() =>
    expect(bodies).toEqual([{ email: 'eve@example.com', components: [], orgId: 'org-1' }]),
  );
});

it('takes a group for its components', async () => {
  const bodies = accept();
  const user = await open(parts);
  await user.type(email(), 'eve@example.com');
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(checkbox('Paris'));
  await user.click(checkbox('All of Europe'));
  expect(checkbox('Berlin')).toBeChecked();
  expect(checkbox('Berlin')).toBeDisabled();
  await user.click(submit());
  await waitFor(() =>
    expect(bodies).toEqual([{ email: 'eve@example.com', groups: ['eu'], orgId: 'org-1' }]),
  );
});

it('lets the visitor choose the channel where mail is off, and says where the refusal belongs', async () => {
  render(
    page(<SubscribeButton standalone loadDialog={loadDialog} />, withChannels('slack', 'teams')),
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Subscribe To Updates' }));
  await screen.findByRole('dialog', { name: 'Subscribe To Updates' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Channel' }), 'Microsoft Teams');
  const url = screen.getByRole('textbox', { name: /^Webhook URL/ });
  await user.type(url, 'ftp://example.com');
  await user.click(submit());
  expect(await screen.findByText('Must be a link that begins with https://')).toBeVisible();
  server.use(
    http.post(
      apiUrl(endpoints.subscribers.subscribe),
      () => problem(422, 'Invalid', [{ field: 'target', message: 'Inner network' }]),
      { once: true },
    ),
  );
  await user.clear(url);
  await user.type(url, 'https://example.com/hook');
  await user.click(submit());
  expect(await screen.findByText('Inner network')).toBeVisible();
  expect(url).toHaveFocus();
  const bodies = accept();
  await user.click(submit());
  expect(await screen.findByText('Verification message sent successfully')).toBeVisible();
  expect(screen.getByText('Open the link in it to confirm the subscription.')).toBeVisible();
  expect(bodies).toEqual([
    { channel: 'teams', target: 'https://example.com/hook', orgId: 'org-1' },
  ]);
  expect(JSON.stringify(localStorage) + window.location.href).not.toContain('hook');
});

it('offers nothing where no channel is on', () => {
  render(
    page(
      <>
        <SubscribeButton standalone loadDialog={loadDialog} />
        <FollowButton incident={anIncident()} />
      </>,
      withChannels(),
    ),
  );
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
  expect(document.querySelector('form')).toBeNull();
});

it('follows one incident by any channel', async () => {
  const bodies = accept();
  render(
    page(
      <>
        <SubscribeButton standalone loadDialog={loadDialog} />
        <FollowButton incident={anIncident({ id: 'i-1', title: 'Payments fail' })} />
      </>,
      parts,
    ),
  );
  const user = userEvent.setup();
  const button = screen.getByRole('button', { name: 'Follow this incident: Payments fail' });
  await user.click(button);
  await screen.findByRole('dialog', { name: 'Follow This Incident' });
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
  await user.type(email(), 'eve@example.com');
  await user.click(submit());
  await waitFor(() =>
    expect(bodies).toEqual([{ email: 'eve@example.com', incidentId: 'i-1', orgId: 'org-1' }]),
  );
  await waitFor(() => expect(button).toHaveFocus());
});
