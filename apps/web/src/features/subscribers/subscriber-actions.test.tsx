import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import type { Subscriber } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { renderRoutes, signedInAs } from '@/testing/render';
import { apiUrl, hold, problem, server, success } from '@/testing/server';
import { noMail, parts, subscriber } from './fixtures';
import { subscriberRoutes } from './routes';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const url = 'https://example.com/…hook';
const webhook = subscriber('hook', { channel: 'webhook', email: null, target: url });

beforeEach(() => {
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () => success(noMail)),
    http.get(apiUrl(endpoints.status('org-1')), () => success(parts)),
    http.get(apiUrl(endpoints.incidents.item('i-1')), () =>
      success({ id: 'i-1', title: 'Checkout fails' }),
    ),
  );
});

function open(subscribers: Subscriber[], query = '') {
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => success(subscribers)));
  return renderRoutes(subscriberRoutes, { path: paths.subscribers + query });
}

/** Opens the menu of a row and chooses an item. */
async function choose(user: ReturnType<typeof open>['user'], target: string, item: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${target}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
}

const toasts = () => within(screen.getByRole('region', { name: /Notifications/ }));

it('shows channel, scope and why messages fail', async () => {
  open([
    subscriber('ada', { scope: 'COMPONENTS', components: ['web'], groups: ['eu'] }),
    { ...webhook, failing: { reason: '410 Gone', since: '2026-11-20T10:00:00.000Z' } },
    subscriber('eve', { muteMaintenances: true }),
  ]);
  expect(await screen.findByText(url)).toBeInTheDocument();
  expect(screen.getByRole('columnheader', { name: 'Email or URL' })).toBeInTheDocument();
  const row = within(screen.getByText(url).closest('tr') ?? document.body);
  expect(row.getByText('Webhook')).toBeInTheDocument();
  expect(row.getByText('Failing since Nov 20, 2026 11:00:00 AM: 410 Gone')).toBeInTheDocument();
  expect(screen.getByText('1 component, 1 group')).toBeInTheDocument();
  expect(screen.getByText('Everything, no maintenances')).toBeInTheDocument();
});

it('names what a subscriber has chosen, all of it once it is pressed', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.list), () =>
      success([
        { id: 'web', name: 'Website', groupId: null },
        { id: 'api', name: 'API', groupId: null },
        { id: 'eu-api', name: 'API', groupId: 'eu' },
      ]),
    ),
    http.get(apiUrl(endpoints.componentGroups.list), () => success([{ id: 'eu', name: 'Europe' }])),
  );
  const { user } = open([
    subscriber('ada', { scope: 'COMPONENTS', components: ['web'] }),
    subscriber('eve', {
      scope: 'COMPONENTS',
      components: ['api', 'web', 'eu-api'],
      groups: ['eu'],
      muteMaintenances: true,
    }),
  ]);
  const first = 'API, Website, 2 more, no maintenances';
  const chosen = await screen.findByRole('button', { name: first });
  expect(chosen).toHaveAttribute('aria-expanded', 'false');
  await user.click(chosen);
  expect(chosen).toHaveAttribute('aria-expanded', 'true');
  expect(chosen).toHaveTextContent('API, Website, API (Europe), Europe, no maintenances');
  expect(screen.getByText('Website')).toBeInTheDocument();
});

it('leads to the incident that a subscriber follows', async () => {
  server.use(
    http.get(apiUrl(endpoints.incidents.item('gone')), () => problem(404, 'Incident not found')),
  );
  open([
    subscriber('ada', { scope: 'INCIDENT', incidentId: 'i-1' }),
    subscriber('eve', { scope: 'INCIDENT', incidentId: 'gone' }),
  ]);
  expect(await screen.findByRole('link', { name: 'Checkout fails' })).toHaveAttribute(
    'href',
    paths.incidents.edit('i-1'),
  );
  expect(await screen.findByText('A deleted incident')).toBeInTheDocument();
});

it('shows the whole reason why messages fail once it is pressed', async () => {
  const since = '2026-11-20T10:00:00.000Z';
  const { user } = open([{ ...webhook, failing: { reason: '410 Gone', since } }]);
  const reason = await screen.findByRole('button', { name: /^Failing since/ });
  const text = within(reason).getByText(/410 Gone/);
  expect(reason).toHaveAttribute('aria-expanded', 'false');
  expect(text).toHaveClass('line-clamp-2');
  await user.click(reason);
  expect(reason).toHaveAttribute('aria-expanded', 'true');
  expect(text).not.toHaveClass('line-clamp-2');
});

/** Serves those of `subscribers` that the query selects, as the server does. */
function serveFiltered(subscribers: Subscriber[]) {
  server.use(
    http.get(apiUrl(endpoints.subscribers.list), ({ request }) => {
      const query = new URL(request.url).searchParams;
      const isGiven = (name: string, value: string) => (query.get(name) ?? value) === value;
      const isSelected = (it: Subscriber) =>
        (it.email ?? '').includes((query.get('email') ?? '').toLowerCase()) &&
        isGiven('channel', it.channel) &&
        isGiven('scope', it.scope) &&
        isGiven('status', it.status) &&
        isGiven('failing', String(it.failing !== null));
      return success(subscribers.filter(isSelected));
    }),
  );
}

it('filters by channel, scope and state, which the address keeps', async () => {
  const failing = { reason: '410 Gone', since: '2026-11-20T10:00:00.000Z' };
  const { user, router } = open([], '?state=failing');
  serveFiltered([
    subscriber('ada', { status: 'PENDING' }),
    subscriber('eve', { scope: 'INCIDENT', incidentId: 'i-1' }),
    { ...webhook, failing },
  ]);
  expect(await screen.findByText(url)).toBeInTheDocument();
  expect(screen.queryByText('ada@example.com')).not.toBeInTheDocument();
  const filter = within(screen.getByRole('group', { name: 'Filter' }));
  await user.selectOptions(filter.getByRole('combobox', { name: 'Status' }), 'Pending');
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
  expect(screen.queryByText(url)).not.toBeInTheDocument();
  await user.selectOptions(filter.getByRole('combobox', { name: 'Status' }), 'All');
  await user.selectOptions(filter.getByRole('combobox', { name: 'Updates about' }), 'One incident');
  expect(await screen.findByText('eve@example.com')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByText('ada@example.com')).not.toBeInTheDocument());
  expect(router.state.location.search).toBe('?scope=incident');
  await user.selectOptions(filter.getByRole('combobox', { name: 'Channel' }), 'Slack');
  expect(await screen.findByText('No subscriber matches the filter.')).toBeInTheDocument();
});

it('filters by a part of the address, which stays out of the query', async () => {
  const { user, router } = open([]);
  serveFiltered([subscriber('ada'), subscriber('eve')]);
  await screen.findByText('ada@example.com');
  const filter = within(screen.getByRole('group', { name: 'Filter' }));
  await user.type(filter.getByRole('searchbox', { name: 'Search' }), ' EVE@');
  await waitFor(() => expect(screen.queryByText('ada@example.com')).not.toBeInTheDocument());
  expect(screen.getByText('eve@example.com')).toBeInTheDocument();
  expect(router.state.location.search).toBe('');
});

it('reads a filtered list again after a deletion', async () => {
  const subscribers = [subscriber('ada'), subscriber('adam'), subscriber('eve')];
  const { user } = open([]);
  serveFiltered(subscribers);
  server.use(
    http.delete(apiUrl(endpoints.subscribers.item('ada')), () => {
      subscribers.shift();
      return success({ id: 'ada' });
    }),
  );
  await user.type(await screen.findByRole('searchbox', { name: 'Search' }), 'ada');
  await waitFor(() => expect(screen.queryByText('eve@example.com')).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Delete ada@example.com' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByText('ada@example.com')).not.toBeInTheDocument());
  expect(screen.getByText('adam@example.com')).toBeInTheDocument();
});

it('shows no subscribers of the previous filter if those of the next could not be loaded', async () => {
  const { user } = open([subscriber('ada')]);
  await screen.findByText('ada@example.com');
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => problem(403, 'Not allowed')));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Channel' }), 'Slack');
  expect(await screen.findByText('Subscribers could not be loaded')).toBeInTheDocument();
  expect(screen.queryByText('ada@example.com')).not.toBeInTheDocument();
});

it('adds a webhook and shows its secret once', async () => {
  const bodies: unknown[] = [];
  const { user } = open([]);
  server.use(
    http.post(apiUrl(endpoints.subscribers.create), async ({ request }) => {
      bodies.push(await request.json());
      return success({ ...webhook, secret }, { status: 201, message: 'Sent' });
    }),
  );
  const button = screen.getByRole('button', { name: 'New Subscriber' });
  await user.click(button);
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Channel' }), 'Webhook');
  await user.type(screen.getByRole('textbox', { name: /^Webhook URL/ }), 'https://example.com/h');
  await user.click(screen.getByRole('button', { name: 'Add Subscriber' }));
  const dialog = await screen.findByRole('dialog', { name: 'Secret of the Webhook' });
  expect(within(dialog).getByRole('textbox', { name: 'Signing secret' })).toHaveValue(secret);
  await user.keyboard('{Escape}');
  expect(await screen.findByText('Close without a copy?')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Keep Open' }));
  expect(bodies).toEqual([{ channel: 'webhook', target: 'https://example.com/h' }]);
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  expect(await screen.findByText('Close without a copy?')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Keep Open' }));
  await user.click(within(dialog).getByRole('button', { name: 'Copy: Signing secret' }));
  await within(dialog).findByRole('button', { name: 'Copied: Signing secret' });
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(document.body.innerHTML).not.toContain(secret);
  expect(button).toHaveFocus();
});

it('says nothing about the address of a channel that is chosen after a refusal', async () => {
  const { user } = open([]);
  await user.click(screen.getByRole('button', { name: 'New Subscriber' }));
  const add = await screen.findByRole('button', { name: 'Add Subscriber' });
  await user.click(add);
  expect(await screen.findByText('Invalid email address')).toBeVisible();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Channel' }), 'Webhook');
  await screen.findByRole('textbox', { name: /^Webhook URL/ });
  await waitFor(() => expect(screen.queryByText('URL is required')).not.toBeInTheDocument());
  await user.click(add);
  expect(await screen.findByText('URL is required')).toBeVisible();
});

it('changes what a subscriber receives', async () => {
  const bodies: unknown[] = [];
  const { user } = open([subscriber('ada', { scope: 'COMPONENTS', components: ['web', 'gone'] })]);
  server.use(
    http.patch(apiUrl(endpoints.subscribers.item('ada')), async ({ request }) => {
      bodies.push(await request.json());
      return success(subscriber('ada'));
    }),
  );
  await choose(user, 'ada@example.com', 'Edit');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  expect(await dialog.findByRole('checkbox', { name: 'Website' })).toBeChecked();
  await user.click(dialog.getByRole('checkbox', { name: 'Berlin' }));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await toasts().findByText('Subscriber updated')).toBeInTheDocument();
  expect(bodies).toEqual([{ components: ['web', 'eu-1'], groups: null }]);
});

it('starts from what a subscriber receives now, and sends only what is changed', async () => {
  const bodies: unknown[] = [];
  const { user } = open([subscriber('ada')]);
  server.use(
    http.patch(apiUrl(endpoints.subscribers.item('ada')), async ({ request }) => {
      bodies.push(await request.json());
      return success(subscriber('ada'));
    }),
  );
  await screen.findByText('ada@example.com');
  // The subscriber chooses something else meanwhile.
  const chosen = subscriber('ada', { scope: 'COMPONENTS', components: ['web'] });
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => success([chosen])));
  await choose(user, 'ada@example.com', 'Edit');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  expect(await dialog.findByRole('checkbox', { name: 'Website' })).toBeChecked();
  await user.click(dialog.getByRole('checkbox', { name: /^Mute maintenance/ }));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await toasts().findByText('Subscriber updated')).toBeInTheDocument();
  expect(bodies).toEqual([{ muteMaintenances: true }]);
});

it('keeps the choice of a component that was created since the components were read', async () => {
  const { user } = open([subscriber('ada')]);
  await choose(user, 'ada@example.com', 'Edit');
  const first = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  await first.findByRole('checkbox', { name: /^Mute maintenance/ });
  await user.click(first.getByRole('button', { name: 'Cancel' }));
  const mail = { id: 'mail', name: 'Mail', groupId: null, position: 3 };
  const chosen = subscriber('ada', { scope: 'COMPONENTS', components: ['mail'] });
  const { held, release } = hold();
  server.use(
    http.get(apiUrl(endpoints.subscribers.list), () => success([chosen])),
    http.get(apiUrl(endpoints.status('org-1')), async () => {
      await held;
      return success({ ...parts, components: [...parts.components, mail] });
    }),
  );
  await choose(user, 'ada@example.com', 'Edit');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  release();
  expect(await dialog.findByRole('checkbox', { name: 'Mail' })).toBeChecked();
});

it('sends that a subscriber of deleted components shall receive everything', async () => {
  const bodies: unknown[] = [];
  const { user } = open([subscriber('ada', { scope: 'COMPONENTS', components: ['gone'] })]);
  server.use(
    http.patch(apiUrl(endpoints.subscribers.item('ada')), async ({ request }) => {
      bodies.push(await request.json());
      return success(subscriber('ada'));
    }),
  );
  await choose(user, 'ada@example.com', 'Edit');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  await user.click(await dialog.findByRole('radio', { name: 'Everything' }));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await toasts().findByText('Subscriber updated')).toBeInTheDocument();
  expect(bodies).toEqual([{ components: null, groups: null }]);
});

/** Lets the components be read again after a failure. */
async function loadAgain(user: ReturnType<typeof open>['user']) {
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(parts)));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
}

it('waits for the choices before it takes a new address', async () => {
  const { user } = open([]);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), async () => {
      await finished;
      return success(parts);
    }),
  );
  await user.click(screen.getByRole('button', { name: 'New Subscriber' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add New Subscriber' }));
  expect(dialog.getByText('Loading...')).toBeInTheDocument();
  expect(dialog.queryByRole('button', { name: 'Add Subscriber' })).not.toBeInTheDocument();
  finish();
  expect(await dialog.findByRole('radio', { name: 'Chosen components' })).toBeVisible();
  expect(dialog.getByRole('textbox', { name: /^Email/ })).toHaveFocus();
});

it('says beside a new address that the choices could not be loaded, and keeps the address', async () => {
  const { user } = open([]);
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => problem(403, 'Not now')));
  await user.click(screen.getByRole('button', { name: 'New Subscriber' }));
  await user.type(await screen.findByRole('textbox', { name: /^Email/ }), 'ada@example.com');
  expect(screen.getByRole('alert')).toHaveTextContent(
    'The components could not be loaded, so the subscriber would receive everythingNot now',
  );
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription(
    /^A first message .* after that\.$/,
  );
  await loadAgain(user);
  expect(await screen.findByRole('radio', { name: /components/i })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: /^Email/ })).toHaveValue('ada@example.com');
});

it('offers no save of a subscriber whose choices could not be loaded', async () => {
  const { user } = open([subscriber('ada', { scope: 'COMPONENTS', components: ['web'] })]);
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => problem(403, 'Not now')));
  await choose(user, 'ada@example.com', 'Edit');
  expect(await screen.findByText('The components could not be loaded')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  await loadAgain(user);
  expect(await screen.findByRole('checkbox', { name: 'Website' })).toBeChecked();
  expect(screen.getByRole('dialog', { name: 'Edit Subscriber' })).toContainElement(
    document.activeElement as HTMLElement,
  );
});

it('says at the save that a subscriber was deleted meanwhile, and keeps what was chosen', async () => {
  const { user } = open([subscriber('ada', { scope: 'COMPONENTS', components: ['web'] })]);
  server.use(
    http.patch(apiUrl(endpoints.subscribers.item('ada')), () =>
      problem(404, 'Subscriber not found'),
    ),
  );
  await choose(user, 'ada@example.com', 'Edit');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Subscriber' }));
  await user.click(await dialog.findByRole('checkbox', { name: 'Berlin' }));
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => success([])));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(/^This subscriber was deleted/)).toBeVisible();
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  expect(dialog.getByRole('checkbox', { name: 'Berlin' })).toBeChecked();
});

it('gives a webhook a new secret after a question', async () => {
  const { user } = open([webhook]);
  server.use(
    http.post(apiUrl(endpoints.subscribers.rotateSecret('hook')), () =>
      success({ ...webhook, secret }),
    ),
  );
  await choose(user, url, 'Rotate Secret');
  await user.click(await screen.findByRole('button', { name: 'Rotate' }));
  const dialog = await screen.findByRole('dialog', { name: 'Secret of the Webhook' });
  expect(within(dialog).getByRole('textbox', { name: 'Signing secret' })).toHaveValue(secret);
});

it('keeps the new secret on screen when its row goes', async () => {
  let arrive: () => void = () => undefined;
  const { user } = open([subscriber('ada'), webhook]);
  server.use(
    http.post(apiUrl(endpoints.subscribers.test('ada')), async () => {
      await new Promise<void>((resolve) => (arrive = resolve));
      return success(subscriber('ada'), { message: 'The test message has arrived' });
    }),
    http.post(apiUrl(endpoints.subscribers.rotateSecret('hook')), () =>
      success({ ...webhook, secret }),
    ),
  );
  await choose(user, 'ada@example.com', 'Send Test Message');
  await choose(user, url, 'Rotate Secret');
  await user.click(await screen.findByRole('button', { name: 'Rotate' }));
  await screen.findByRole('dialog', { name: 'Secret of the Webhook' });
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => success([])));
  arrive();
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Signing secret' })).toHaveValue(secret);
});

it('says whether a test message has arrived', async () => {
  const { user } = open([webhook]);
  server.use(
    http.post(
      apiUrl(endpoints.subscribers.test('hook')),
      () => problem(409, 'The receiver said 500'),
      { once: true },
    ),
  );
  await choose(user, url, 'Send Test Message');
  expect(await toasts().findByText('The receiver said 500')).toBeInTheDocument();
  server.use(
    http.post(apiUrl(endpoints.subscribers.test('hook')), () =>
      success(webhook, { message: 'The test message has arrived' }),
    ),
  );
  await choose(user, url, 'Send Test Message');
  expect(await toasts().findByText('The test message has arrived')).toBeInTheDocument();
});

it('sends a pending subscriber the confirmation again, and says why it does not arrive', async () => {
  const { user } = open([subscriber('ada', { status: 'PENDING', isVerified: false })]);
  const path = apiUrl(endpoints.subscribers.verification('ada'));
  server.use(http.post(path, () => problem(409, 'The confirmation did not arrive: 535 denied')));
  await choose(user, 'ada@example.com', 'Send Confirmation Again');
  expect(
    await toasts().findByText('The confirmation did not arrive: 535 denied'),
  ).toBeInTheDocument();
  const message = 'Verification email sent successfully';
  server.use(http.post(path, () => success(subscriber('ada'), { message })));
  await choose(user, 'ada@example.com', 'Send Confirmation Again');
  expect(await toasts().findByText(message)).toBeInTheDocument();
});

type Refusal = ReturnType<typeof problem> | undefined;

/**
 * Selects all rows and sends the confirmation again. `refuse` returns the refusal of a subscriber;
 * undefined for none. Returns the subscribers that were asked for.
 */
async function sendToAll(refuse: (id: string) => Refusal | Promise<Refusal>) {
  const pending = (name: string) => subscriber(name, { status: 'PENDING', isVerified: false });
  const { user } = open([
    pending('ada'),
    subscriber('bob'),
    pending('eve'),
    pending('joe'),
    pending('mary'),
  ]);
  const asked: string[] = [];
  server.use(
    http.post<{ id: string }>(apiUrl('/subscriber/:id/verification'), async ({ params }) => {
      asked.push(params.id);
      return (await refuse(params.id)) ?? success(subscriber(params.id));
    }),
  );
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows on this page' }));
  await user.click(screen.getByRole('button', { name: /^Send Again/ }));
  const question = screen.getByRole('alertdialog', {
    name: 'Send the confirmation to 4 subscribers again?',
  });
  await user.click(within(question).getByRole('button', { name: 'Send' }));
  return { asked, user };
}

it('sends the confirmation again to those selected subscribers that are pending', async () => {
  const { asked } = await sendToAll(() => undefined);
  expect(await toasts().findByText('Confirmation sent to 4 subscribers')).toBeInTheDocument();
  expect(asked).toEqual(['ada', 'eve', 'joe', 'mary']);
});

it('shows how far it is with sending, and stops after the message that it has begun', async () => {
  const { held, release } = hold();
  const { asked, user } = await sendToAll((id) =>
    id === 'eve' ? held.then(() => undefined) : undefined,
  );
  const question = within(screen.getByRole('alertdialog'));
  await waitFor(() => expect(question.getByRole('status')).toHaveTextContent('1 of 4'));
  await user.click(question.getByRole('button', { name: 'Stop' }));
  expect(question.getByRole('status')).toHaveTextContent('Stopping...');
  release();
  const stopped = 'Confirmation sent to 2 of 4 subscribers, 2 not tried';
  expect(await toasts().findByText(stopped)).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(asked).toEqual(['ada', 'eve']);
});

it('says to how many of the selected subscribers the confirmation was not sent, and why', async () => {
  const { asked } = await sendToAll((id) =>
    id === 'mary' ? undefined : problem(429, 'Too many mails'),
  );
  const failed = 'Confirmation sent to 1 of 4 subscribers. Too many mails';
  expect(await toasts().findByText(failed)).toBeInTheDocument();
  expect(asked).toEqual(['ada', 'eve', 'joe', 'mary']);
});

it('goes on after failures of single subscribers', async () => {
  const { asked } = await sendToAll((id) => problem(409, `There is no mailbox ${id}`));
  const failed = 'Confirmation sent to 0 of 4 subscribers. There is no mailbox mary';
  expect(await toasts().findByText(failed)).toBeInTheDocument();
  expect(asked).toEqual(['ada', 'eve', 'joe', 'mary']);
});

it('stops sending confirmations after three equal failures in a row', async () => {
  const { asked } = await sendToAll(() => problem(409, '535 denied'));
  const failed = 'Confirmation sent to 0 of 4 subscribers, 1 not tried. 535 denied';
  expect(await toasts().findByText(failed)).toBeInTheDocument();
  expect(asked).toEqual(['ada', 'eve', 'joe']);
});

it('offers no message to a subscriber that has unsubscribed, and no empty menu', async () => {
  const status = 'UNSUBSCRIBED';
  const rows = [
    subscriber('ada', { status }),
    subscriber('eve', { status, scope: 'INCIDENT', incidentId: 'i-1' }),
  ];
  server.use(http.get(apiUrl(endpoints.subscribers.list), () => success(rows)));
  const editor = signedInAs('editor');
  const { user } = renderRoutes(subscriberRoutes, { path: paths.subscribers, auth: editor });
  const [menu, ...others] = await screen.findAllByRole('button', { name: /^Actions for/ });
  expect(others).toEqual([]);
  expect(menu).toHaveAccessibleName('Actions for ada@example.com');
  if (menu) await user.click(menu);
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.textContent)).toEqual(['Edit']);
});

it('offers no secret to a subscriber by mail, and no choice to one of an incident', async () => {
  const { user } = open([subscriber('ada', { scope: 'INCIDENT', incidentId: 'i-1' })]);
  await user.click(await screen.findByRole('button', { name: 'Actions for ada@example.com' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.textContent)).toEqual(['Send Test Message', 'Audit Log']);
});
