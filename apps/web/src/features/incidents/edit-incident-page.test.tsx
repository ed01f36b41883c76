import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { anAttached, anIncident } from './fixtures';
import type { Incident } from './incident';
import { incidentRoutes } from './routes';

const { incidents } = endpoints;
const id = 'incident-1';

function serve(incident: Incident, version = '1') {
  server.use(
    http.get(apiUrl(incidents.item(id)), () => success(incident, { etag: `"${version}"` })),
    http.get(apiUrl(incidents.list), () => success([incident])),
    http.get(apiUrl(incidents.updates(id)), () => success([])),
  );
}

/** Opens the form as people do: from the list. */
async function open(incident = anIncident()) {
  serve(incident);
  const rendered = renderRoutes(incidentRoutes, { path: paths.incidents.list });
  await rendered.user.click(await screen.findByRole('link', { name: 'Edit Checkout fails' }));
  await screen.findByRole('button', { name: 'Update Incident' });
  await screen.findByText('No Data');
  return rendered;
}

const title = () => screen.getByRole('textbox', { name: /^Title/ });
const submit = () => screen.getByRole('button', { name: 'Update Incident' });

it('is filled with the incident, its time in local time to the minute', async () => {
  await open();
  expect(screen.getByRole('heading', { level: 1, name: 'Edit Incident' })).toBeInTheDocument();
  expect(document.title).toBe('Checkout fails · Edit Incident · Allclear');
  expect(title()).toHaveValue('Checkout fails');
  expect(screen.getByRole('textbox', { name: /^Description/ })).toHaveValue(
    'Payments are refused.',
  );
  expect(screen.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  expect(screen.getByLabelText(/^Occurred at/)).toHaveValue('2026-07-15T11:30');
  expect(screen.queryByText('Affected Components')).not.toBeInTheDocument();
});

it('has three tabs, of which Updates is open', async () => {
  await open();
  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
    'Components',
    'Updates',
    'Review',
  ]);
  expect(screen.getByRole('tab', { name: 'Updates' })).toHaveAttribute('aria-selected', 'true');
});

it('leads to a duplicate, from which the way back is the list', async () => {
  const { user, router } = await open();
  server.use(http.get(apiUrl(incidents.components(id)), () => success([])));
  await user.click(screen.getByRole('link', { name: 'Duplicate' }));
  await screen.findByRole('heading', { level: 1, name: 'Create Incident' });
  expect(router.state.location.search).toBe(`?from=${id}`);
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await screen.findByRole('heading', { level: 1, name: 'Incidents' });
});

it('opens the Components tab from the dialog of an update, if no component is attached', async () => {
  const { user } = await open();
  server.use(http.get(apiUrl(incidents.components(id)), () => success([])));
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  await user.click(dialog.getByRole('button', { name: 'Component Statuses' }));
  await user.click(await dialog.findByRole('link', { name: 'Attach Components' }));
  const tab = await screen.findByRole('tab', { name: 'Components' });
  expect(tab).toHaveAttribute('aria-selected', 'true');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Attach' })).toBeVisible();
});

it('leads to its public page, and copies the address', async () => {
  const { user } = await open();
  const address = 'https://status.example.com/status/org-1/incidents/0123456789ab';
  const link = await screen.findByRole('link', { name: 'Public Page' });
  expect(link).toHaveAttribute('href', address);
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await user.click(screen.getByRole('button', { name: 'Copy: Address of the public page' }));
  expect(write).toHaveBeenCalledExactlyOnceWith(address);
  await screen.findByRole('button', { name: 'Copied: Address of the public page' });

  write.mockRejectedValue(new Error('Not allowed'));
  await user.click(screen.getByRole('button', { name: 'Copied: Address of the public page' }));
  expect(await screen.findByText(/^The browser forbids copying here/)).toBeInTheDocument();
});

it('says why the address of its public page is not known, and tries again', async () => {
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), () => problem(403, 'No'), { once: true }),
  );
  const { user } = await open();
  const failure = await screen.findByText(/^The address of the public page/);
  expect(failure).toHaveTextContent('could not be loaded. No');
  await user.click(within(failure).getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('link', { name: 'Public Page' })).toHaveAttribute(
    'href',
    'https://status.example.com/status/org-1/incidents/0123456789ab',
  );
});

it('records an update that changes statuses of components', async () => {
  const { user } = await open();
  let sent: unknown;
  server.use(
    http.get(apiUrl(incidents.components(id)), () => success(['API', 'Shop'].map(anAttached))),
    http.post(apiUrl(incidents.createUpdate(id)), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  await user.type(dialog.getByRole('textbox', { name: /Message/ }), 'Only the API is slow.');
  await user.click(dialog.getByRole('button', { name: 'Component Statuses' }));
  const api = await dialog.findByRole('combobox', { name: 'API' });
  expect(api).toHaveDisplayValue('Partial Outage');
  await user.selectOptions(api, 'Degraded Performance');
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  await screen.findByText('Incident Update Created');
  expect(sent).toMatchObject({ components: [{ componentId: 'id-API', status: 'DEGRADED' }] });
});

it('records an update although a component with a new status was detached meanwhile', async () => {
  const { user } = await open();
  const attached = ['API', 'Shop'].map(anAttached);
  const sent: unknown[] = [];
  server.use(
    http.get(apiUrl(incidents.components(id)), () => success([...attached])),
    http.post(apiUrl(incidents.createUpdate(id)), async ({ request }) => {
      const body = (await request.json()) as { components?: unknown };
      if (body.components) return problem(422, 'This component is not attached');
      sent.push(body);
      return success({}, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  const record = dialog.getByRole('button', { name: 'Record Update' });
  await user.type(dialog.getByRole('textbox', { name: /Message/ }), 'The API is slow.');
  await user.click(dialog.getByRole('button', { name: 'Component Statuses' }));
  const api = await dialog.findByRole('combobox', { name: 'API' });
  await user.selectOptions(api, 'Degraded Performance');
  attached.shift();
  await user.click(record);
  await screen.findByText('Error while creating or updating incident');
  await dialog.findByRole('button', { name: 'Component Statuses' });
  await user.click(record);
  await screen.findByText('Incident Update Created');
  expect(sent).toMatchObject([{ message: 'The API is slow.' }]);
});

it('saves over the version that was loaded, says Incident Created, and goes back', async () => {
  const { user, router } = await open();
  let sent: unknown;
  let ifMatch: string | null = null;
  server.use(
    http.patch(apiUrl(incidents.item(id)), async ({ request }) => {
      sent = await request.json();
      ifMatch = request.headers.get('If-Match');
      return success({});
    }),
  );
  await user.type(title(), ' again');
  await user.click(submit());
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
  expect(ifMatch).toBe('"1"');
  expect(sent).toEqual({
    title: 'Checkout fails again',
    description: 'Payments are refused.',
    status: 'INVESTIGATING',
    occuredAt: '2026-07-15T09:30:12.500Z',
    notify: true,
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/incidents'));
});

it('says what is missing', async () => {
  const { user } = await open();
  fireEvent.change(screen.getByLabelText(/^Occurred at/), { target: { value: '' } });
  await user.clear(title());
  await user.click(submit());
  expect(await screen.findByText('Please enter a valid date and time')).toBeInTheDocument();
  expect(screen.getByText('Title is required')).toBeInTheDocument();
});

it('resolves an incident at a past time, of which nobody is notified by default', async () => {
  const { user } = await open();
  let sent: unknown;
  server.use(
    http.patch(apiUrl(incidents.item(id)), async ({ request }) => {
      sent = await request.json();
      return success({});
    }),
  );
  const notify = screen.getByRole('checkbox', { name: 'Notify subscribers' });
  await waitFor(() => expect(notify).toBeChecked());
  expect(screen.queryByLabelText(/^Resolved at/)).not.toBeInTheDocument();
  await user.click(screen.getByRole('radio', { name: 'Resolved' }));
  expect(notify).toBeChecked();
  const resolved = screen.getByLabelText(/^Resolved at/);
  const enter = (value: string) => fireEvent.change(resolved, { target: { value } });
  enter('2026-07-15T11:29');
  expect(notify).not.toBeChecked();
  await user.click(submit());
  expect(await screen.findByText('Resolution must not be before the incident')).toBeInTheDocument();
  enter('2126-07-15T11:29');
  expect(await screen.findByText('Resolution must not be in the future')).toBeInTheDocument();
  enter('2026-07-15T12:00');
  await user.click(submit());
  await screen.findByText('Incident Created');
  expect(sent).toMatchObject({
    status: 'RESOLVED',
    resolvedAt: '2026-07-15T10:00:00.000Z',
    notify: false,
  });
});

it('saves another field although an update has set the resolution before the incident', async () => {
  const { user } = await open(
    anIncident({ status: 'RESOLVED', resolvedAt: '2026-07-15T09:20:00.000Z' }),
  );
  server.use(http.patch(apiUrl(incidents.item(id)), () => success({})));
  await user.type(title(), ' again');
  await user.click(submit());
  expect(await screen.findByText('Incident Created')).toBeInTheDocument();
});

it('leaves the focus in the tab when the recorded update resolves the incident', async () => {
  const { user } = await open();
  server.use(http.post(apiUrl(incidents.createUpdate(id)), () => success({}, { status: 201 })));
  const record = screen.getByRole('button', { name: 'Record Update' });
  await user.click(record);
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'Over.');
  serve(anIncident({ status: 'RESOLVED', resolvedAt: '2026-07-15T10:00:00.000Z' }), '2');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await waitFor(() => expect(record).toBeDisabled());
  const panel = screen.getByRole('tabpanel', { name: 'Updates' });
  await waitFor(() => expect(panel).toContainElement(document.activeElement as HTMLElement));
});

it('keeps the choice of a mail when another user changes the incident', async () => {
  const { user } = await open();
  const notify = screen.getByRole('checkbox', { name: 'Notify subscribers' });
  await waitFor(() => expect(notify).toBeEnabled());
  await user.click(notify);
  server.use(http.post(apiUrl(incidents.createUpdate(id)), () => success({}, { status: 201 })));
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'Over.');
  serve(anIncident({ status: 'RESOLVED', resolvedAt: '2026-07-15T10:00:00.000Z' }), '2');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await waitFor(() => expect(screen.getByRole('radio', { name: 'Resolved' })).toBeChecked());
  expect(screen.getByLabelText(/^Resolved at/)).toHaveValue('2026-07-15T12:00');
  expect(notify).not.toBeChecked();
});

it('keeps what was typed when a save fails', async () => {
  const { user, router } = await open();
  server.use(http.patch(apiUrl(incidents.item(id)), () => problem(403, 'No')));
  await user.type(title(), ' again');
  await user.click(submit());
  expect(await screen.findByText('Error while creating incident')).toBeInTheDocument();
  expect(title()).toHaveValue('Checkout fails again');
  expect(router.state.location.pathname).toBe(paths.incidents.edit(id));
});

it('reports a deleted incident and goes back', async () => {
  const { user, router } = await open();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  server.use(http.get(apiUrl(incidents.item(id)), () => problem(404, 'There is no such incident')));
  await user.click(await screen.findByRole('link', { name: 'Edit Checkout fails' }));
  expect(await screen.findByText('Error loading component')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe('/incidents'));
});

it('follows the status that an update sets, and keeps what was typed', async () => {
  const { user } = await open();
  let ifMatch: string | null = null;
  server.use(
    http.post(apiUrl(incidents.createUpdate(id)), () => success({}, { status: 201 })),
    http.patch(apiUrl(incidents.item(id)), ({ request }) => {
      ifMatch = request.headers.get('If-Match');
      return success({});
    }),
  );
  await user.type(title(), ' again');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'Over.');
  serve(anIncident({ status: 'RESOLVED' }), '2');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await waitFor(() => expect(screen.getByRole('radio', { name: 'Resolved' })).toBeChecked());
  expect(title()).toHaveValue('Checkout fails again');
  expect(screen.getByRole('button', { name: 'Record Update' })).toBeDisabled();
  expect(screen.getByText('A resolved incident takes no new updates.')).toBeInTheDocument();
  await user.click(submit());
  await screen.findByText('Incident Created');
  expect(ifMatch).toBe('"2"');
});

it('says when an update could not be loaded, and edits it under the incident’s own names', async () => {
  const update = {
    id: 'update-1',
    incidentId: id,
    status: 'MONITORING',
    message: 'We watch.',
    user: { id: 'user-1', name: 'Ada' },
    createdAt: '2026-07-15T10:00:00.000Z',
    displayAt: '2026-07-15T10:00:00.000Z',
  };
  serve(anIncident());
  server.use(
    http.get(apiUrl(incidents.updates(id)), () => success([update])),
    http.get(apiUrl(incidents.update(id, 'update-1')), () => problem(404, 'Gone'), { once: true }),
    http.get(apiUrl(incidents.update(id, 'update-1')), () => success(update)),
    http.patch(apiUrl(incidents.update(id, 'update-1')), () => success(update)),
  );
  const { user } = renderRoutes(incidentRoutes, { path: paths.incidents.edit(id) });
  const edit = { name: 'Edit update “We watch.”' };
  await user.click(await screen.findByRole('button', edit));
  expect(await screen.findByText('Failed to load incident update')).toBeInTheDocument();
  await user.click(screen.getByRole('button', edit));
  await user.click(await screen.findByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Incident Update Modified')).toBeInTheDocument();
});
