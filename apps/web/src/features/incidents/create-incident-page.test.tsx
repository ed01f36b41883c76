import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import { endpoints, paths } from '@/paths';
import { readServerClock } from '@/api/server-clock';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server, settings } from '@/testing/server';
import { aComponent, anAttached, anIncident } from './fixtures';
import { incidentRoutes } from './routes';

const { incidents, components } = endpoints;

beforeEach(() => {
  server.use(http.get(apiUrl(incidents.list), () => success([])));
});

/** Opens the form as people do: from the list. */
async function open(names: string[] = ['Website', 'API']) {
  server.use(
    http.get(apiUrl(incidents.list), () => success([])),
    http.get(apiUrl(components.list), () => success(names.map(aComponent))),
  );
  const routes = [...incidentRoutes, { path: '/elsewhere', element: <p>Elsewhere</p> }];
  const rendered = renderRoutes(routes, { path: paths.incidents.list });
  await rendered.user.click(await screen.findByRole('link', { name: 'New Incident' }));
  await screen.findByRole('heading', { level: 1, name: 'Create Incident' });
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Add Component' })).toHaveProperty(
      'disabled',
      names.length === 0,
    ),
  );
  return rendered;
}

const title = () => screen.getByRole('textbox', { name: /^Title/ });
const description = () => screen.getByRole('textbox', { name: /^Description/ });
const occurred = () => screen.getByLabelText(/^Occurred at/);
const pickers = () => screen.getAllByRole('combobox', { name: /^Component/ });
const offered = (picker: HTMLElement | undefined) =>
  within(picker ?? document.body)
    .getAllByRole('option')
    .map((option) => option.textContent);
const submit = () => screen.getByRole('button', { name: 'Create Incident' });
const removeButton = (component: string) =>
  screen
    .getAllByRole('button', { name: 'Remove' })
    .find((button) => button.getAttribute('aria-description') === component) ?? submit();

it('begins as Investigating, now to the minute, with nothing else', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-21T13:07:16.123Z'), toFake: ['Date'] });
  await open();
  vi.useRealTimers();
  expect(title()).toHaveValue('');
  expect(description()).toHaveValue('');
  expect(screen.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  expect(occurred()).toHaveValue('2026-11-21T14:07');
  expect(screen.queryByRole('combobox', { name: /^Component/ })).not.toBeInTheDocument();
});

it('begins with the server’s time when the browser’s clock is fast', async () => {
  const date = { Date: 'Sat, 21 Nov 2026 12:50:00 GMT' };
  vi.useFakeTimers({ now: new Date('2026-11-21T13:07:16.123Z'), toFake: ['Date'] });
  server.use(
    http.get(apiUrl(incidents.list), () => HttpResponse.json({ data: [] }, { headers: date })),
    http.get(apiUrl(components.list), () => success([])),
  );
  const { user } = renderRoutes(incidentRoutes, { path: paths.incidents.list });
  await screen.findByText('No Data');
  await user.click(screen.getByRole('link', { name: 'New Incident' }));
  await screen.findByRole('heading', { level: 1, name: 'Create Incident' });
  expect(occurred()).toHaveValue('2026-11-21T13:50');
  readServerClock(new Response(null, { headers: { Date: new Date().toUTCString() } }));
  vi.useRealTimers();
});

it('begins with a component and its status if it is opened for it', async () => {
  const api = { ...aComponent('API'), status: 'MAJOR_OUTAGE' };
  server.use(http.get(apiUrl(components.list), () => success([aComponent('Website'), api])));
  renderRoutes(incidentRoutes, { path: paths.incidents.createOn(api.id) });
  const picker = await screen.findByRole('combobox', { name: /^Component/ });
  expect(picker).toHaveDisplayValue('API');
  expect(screen.getByRole('combobox', { name: /^Status/ })).toHaveDisplayValue('Major Outage');
});

it('begins without a component if the one that it is opened for is deleted', async () => {
  server.use(http.get(apiUrl(components.list), () => success([aComponent('API')])));
  renderRoutes(incidentRoutes, { path: paths.incidents.createOn('deleted') });
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveValue('');
  expect(screen.queryByRole('combobox', { name: /^Component/ })).not.toBeInTheDocument();
});

it('says that the headline stays as it is without components', async () => {
  const { user } = await open(['API']);
  const hint = /Without components, the headline of the status page stays as it is\.$/;
  expect(screen.getByText(hint)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  expect(screen.queryByText(hint)).not.toBeInTheDocument();
});

/** Opens the form of an incident like this one. */
function duplicate(response: () => Response) {
  server.use(
    http.get(apiUrl(incidents.item('incident-1')), response),
    http.get(apiUrl(incidents.components('incident-1')), () => success([anAttached('API')])),
    http.get(apiUrl(components.list), () => success([aComponent('Website'), aComponent('API')])),
  );
  return renderRoutes(incidentRoutes, { path: paths.incidents.duplicate('incident-1') });
}

it('begins as a duplicate that affects the same components', async () => {
  const earlier = anIncident({ status: 'RESOLVED', resolvedAt: '2026-07-15T10:30:00.000Z' });
  const { user } = duplicate(() => success(earlier));
  let sent: unknown;
  server.use(
    http.post(apiUrl(incidents.create), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveValue('Checkout fails');
  expect(description()).toHaveValue('Payments are refused.');
  expect(screen.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  expect(occurred()).not.toHaveValue('2026-07-15T11:30');
  await waitFor(() =>
    expect(screen.getByRole('checkbox', { name: 'Notify subscribers' })).toBeChecked(),
  );
  await user.click(submit());
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
  expect(sent).toMatchObject({
    title: 'Checkout fails',
    status: 'INVESTIGATING',
    components: [{ componentId: 'id-API', status: 'PARTIAL_OUTAGE' }],
    notify: true,
  });
});

it('reports that the incident to duplicate is deleted, and goes back', async () => {
  const { router } = duplicate(() => problem(404, 'Gone'));
  expect(await screen.findByText('Error loading incident')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe('/incidents'));
});

it('points out an occurrence in the future, and takes none before 1970', async () => {
  const { user } = await open();
  expect(screen.queryByText(/This time is in the future/)).not.toBeInTheDocument();
  fireEvent.change(occurred(), { target: { value: '2999-01-01T00:00' } });
  expect(await screen.findByText(/This time is in the future/)).toBeInTheDocument();
  fireEvent.change(occurred(), { target: { value: '0026-01-01T00:00' } });
  await user.click(submit());
  expect(await screen.findByText('Invalid date format')).toBeInTheDocument();
});

it('says what is missing', async () => {
  const { user } = await open();
  fireEvent.change(occurred(), { target: { value: '' } });
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  await user.click(submit());
  expect(await screen.findByText('Title is required')).toBeInTheDocument();
  expect(screen.getByText('Description is required')).toBeInTheDocument();
  expect(screen.getByText('Invalid date format')).toBeInTheDocument();
  expect(screen.getByText('Component is required')).toBeInTheDocument();
  expect(title()).toHaveFocus();
});

it('sends what was chosen, refetches the list, and goes back', async () => {
  const { user, router } = await open();
  let sent: unknown;
  let lists = 0;
  server.use(
    http.post(apiUrl(incidents.create), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
    http.get(apiUrl(incidents.list), () => {
      lists += 1;
      return success([]);
    }),
  );
  await user.type(title(), 'Checkout fails');
  await user.type(description(), 'Payments are refused.');
  await user.click(screen.getByRole('radio', { name: 'Identified' }));
  fireEvent.change(occurred(), { target: { value: '2026-07-15T11:30' } });
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  await user.selectOptions(screen.getByRole('combobox', { name: /^Component/ }), 'API');
  expect(screen.getByRole('combobox', { name: /^Status/ })).toHaveValue('OPERATIONAL');
  await user.selectOptions(screen.getByRole('combobox', { name: /^Status/ }), 'Major Outage');
  await user.click(submit());
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
  expect(sent).toEqual({
    title: 'Checkout fails',
    description: 'Payments are refused.',
    status: 'IDENTIFIED',
    occuredAt: '2026-07-15T09:30:00.000Z',
    components: [{ componentId: 'id-API', status: 'MAJOR_OUTAGE' }],
    notify: true,
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/incidents'));
  await waitFor(() => expect(lists).toBe(1));
});

it('records a past incident without a mail', async () => {
  const { user } = await open();
  let sent: unknown;
  server.use(
    http.post(apiUrl(incidents.create), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  await user.type(title(), 'Checkout failed');
  await user.type(description(), 'Payments were refused.');
  await user.click(screen.getByRole('radio', { name: 'Resolved' }));
  fireEvent.change(occurred(), { target: { value: '2026-07-15T11:30' } });
  fireEvent.change(screen.getByLabelText(/^Resolved at/), {
    target: { value: '2026-07-15T12:30' },
  });
  expect(screen.getByRole('checkbox', { name: 'Notify subscribers' })).not.toBeChecked();
  await user.click(submit());
  await screen.findByText('Incident Created');
  expect(sent).toMatchObject({
    status: 'RESOLVED',
    occuredAt: '2026-07-15T09:30:00.000Z',
    resolvedAt: '2026-07-15T10:30:00.000Z',
    notify: false,
  });
});

it('says beside Notify subscribers that nobody receives mails without a mail server', async () => {
  renderRoutes(incidentRoutes, {
    path: paths.incidents.create,
    configuration: { mailServer: false },
  });
  expect(
    await screen.findByRole('checkbox', { name: 'Notify subscribers' }),
  ).toHaveAccessibleDescription(
    'Sends this incident to the subscribers on all channels. No mail server is set up here yet, so nobody receives mails.',
  );
});

it('follows the organisation’s default of Notify subscribers', async () => {
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), () =>
      success({ ...settings, notifyByDefault: false }),
    ),
  );
  const { user } = await open();
  const notify = screen.getByRole('checkbox', { name: 'Notify subscribers' });
  expect(notify).toHaveAccessibleDescription(
    'Sends this incident to the subscribers on all channels.',
  );
  await waitFor(() => expect(notify).toBeEnabled());
  expect(notify).not.toBeChecked();
  await user.click(notify);
  expect(notify).toBeChecked();
});

it('never offers a component twice, and none once all are used', async () => {
  const { user } = await open(['Website', 'API']);
  const add = screen.getByRole('button', { name: 'Add Component' });
  await user.click(add);
  await user.selectOptions(screen.getByRole('combobox', { name: /^Component/ }), 'API');
  await user.click(add);
  expect(offered(pickers()[0])).toEqual(['Select a component', 'Website', 'API']);
  expect(offered(pickers()[1])).toEqual(['Select a component', 'Website']);
  expect(add).toBeDisabled();
  await user.click(removeButton('API'));
  expect(add).toBeEnabled();
  expect(offered(pickers()[0])).toEqual(['Select a component', 'Website', 'API']);
});

it('moves the focus to an added row, and from a removed one to the next or to Add Component', async () => {
  const { user } = await open(['Website', 'API']);
  const add = screen.getByRole('button', { name: 'Add Component' });
  for (const [index, name] of ['Website', 'API'].entries()) {
    await user.click(add);
    expect(pickers()[index]).toHaveFocus();
    await user.selectOptions(pickers()[index] ?? document.body, name);
  }
  expect(add).toBeDisabled();
  await user.click(removeButton('Website'));
  expect(removeButton('API')).toHaveFocus();
  await user.click(removeButton('API'));
  expect(add).toHaveFocus();
});

it('says of a row with the status Operational that the component counts as operational', async () => {
  const { user } = await open(['API']);
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  const status = screen.getByRole('combobox', { name: /^Status/ });
  const hint = 'The component counts as operational in this incident.';
  expect(status).toHaveAccessibleDescription(hint);
  await user.selectOptions(status, 'Major Outage');
  expect(status).not.toHaveAccessibleDescription();
  expect(screen.queryByText(hint)).not.toBeInTheDocument();
});

it('adds no component where there is none', async () => {
  await open([]);
  expect(screen.getByRole('button', { name: 'Add Component' })).toBeDisabled();
  expect(screen.getByText('There is no component to add.')).toBeInTheDocument();
});

it('says when the components could not be fetched, and fetches them when asked without losing what was typed', async () => {
  server.use(http.get(apiUrl(components.list), () => problem(403, 'No')));
  const { user } = renderRoutes(incidentRoutes, { path: paths.incidents.create });
  const notifications = within(screen.getByRole('region', { name: /^Notifications/ }));
  expect(await notifications.findByText('Error while fetching components')).toBeInTheDocument();
  await user.type(title(), 'Checkout fails');
  server.use(http.get(apiUrl(components.list), () => success([aComponent('API')])));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await user.click(await screen.findByRole('button', { name: 'Add Component' }));
  expect(offered(pickers()[0])).toEqual(['Select a component', 'API']);
  expect(title()).toHaveValue('Checkout fails');
});

it('keeps what was typed when it is refused, with the server’s reasons beside the fields', async () => {
  const { user, router } = await open();
  server.use(
    http.post(apiUrl(incidents.create), () =>
      problem(422, 'Invalid', [
        { field: 'title', message: 'Title is taken' },
        { field: 'components[0].componentId', message: 'There is no such component' },
      ]),
    ),
  );
  await user.type(title(), 'Checkout fails');
  await user.type(description(), 'Payments are refused.');
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  await user.selectOptions(screen.getByRole('combobox', { name: /^Component/ }), 'API');
  await user.click(submit());
  expect(await screen.findByText('Error while creating incident')).toBeInTheDocument();
  expect(screen.getByText('Title is taken')).toBeInTheDocument();
  expect(screen.getByText('There is no such component')).toBeInTheDocument();
  expect(title()).toHaveValue('Checkout fails');
  expect(router.state.location.pathname).toBe('/incidents/incident/create');
});

it('creates one incident when the first response is lost and the button is pressed again', async () => {
  const { user } = await open();
  const created = new Map<string | null, unknown>();
  let requests = 0;
  server.use(
    http.post(apiUrl(incidents.create), async ({ request }) => {
      requests += 1;
      created.set(request.headers.get('Idempotency-Key') ?? String(requests), await request.json());
      return requests === 1 ? HttpResponse.error() : success({}, { status: 201 });
    }),
  );
  await user.type(title(), 'Checkout fails');
  await user.type(description(), 'Payments are refused.');
  await user.click(submit());
  expect(await screen.findByText(/^The server cannot be reached/)).toBeVisible();
  expect(title()).toHaveValue('Checkout fails');
  await user.click(submit());
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
  expect(requests).toBe(2);
  expect(created.size).toBe(1);
});

it('goes back by Cancel', async () => {
  const { user, router } = await open();
  await user.type(title(), 'C');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/incidents'));
});

/** Fills and submits the form. Returns the function that lets the server respond. */
async function saveSlowly(user: Awaited<ReturnType<typeof open>>['user']) {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.post(apiUrl(incidents.create), async () => {
      await finished;
      return success({}, { status: 201 });
    }),
  );
  await user.type(title(), 'Checkout fails');
  await user.type(description(), 'Payments are refused.');
  await user.click(submit());
  await screen.findByRole('button', { name: 'Creating...' });
  return finish;
}

const leaveQuestion = { name: 'Leave while it is being saved?' };

it('asks before it is left while it is being saved, and goes back after the save', async () => {
  const { user, router } = await open();
  const finish = await saveSlowly(user);
  await act(() => router.navigate('/elsewhere'));
  await screen.findByRole('alertdialog', leaveQuestion);
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(router.state.location.pathname).toBe(paths.incidents.create);
  finish();
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.incidents.list));
  expect(screen.queryByRole('alertdialog', leaveQuestion)).not.toBeInTheDocument();
});

it('goes where the user wanted to when the save ends before the user decides', async () => {
  const { user, router } = await open();
  const finish = await saveSlowly(user);
  await act(() => router.navigate('/elsewhere'));
  await screen.findByRole('alertdialog', leaveQuestion);
  finish();
  await waitFor(() => expect(router.state.location.pathname).toBe('/elsewhere'));
  await waitFor(() =>
    expect(screen.queryByRole('alertdialog', leaveQuestion)).not.toBeInTheDocument(),
  );
});

it('does not navigate if the user left while it was being saved', async () => {
  const { user, router } = await open();
  const finish = await saveSlowly(user);
  await act(() => router.navigate('/elsewhere'));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/elsewhere'));
  finish();
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
  expect(router.state.location.pathname).toBe('/elsewhere');
});
