import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { component } from '@/testing/component';
import { aMaintenance } from './fixtures';
import type { Maintenance } from './maintenance';
import { maintenanceRoutes } from './routes';

const { components, maintenances } = endpoints;
const id = 'maintenance-1';

function serve(maintenance: Maintenance, version = '1') {
  server.use(
    http.get(apiUrl(maintenances.item(id)), () => success(maintenance, { etag: `"${version}"` })),
    http.get(apiUrl(maintenances.list), () => success([maintenance])),
    http.get(apiUrl(maintenances.updates(id)), () => success([])),
    http.get(apiUrl(components.list), () => success([component('API')])),
  );
}

/** Opens the form as people do: from the list. */
async function open(maintenance = aMaintenance()) {
  serve(maintenance);
  const rendered = renderRoutes(maintenanceRoutes, { path: paths.schedules.list });
  await rendered.user.click(await screen.findByRole('link', { name: 'Edit Database upgrade' }));
  await screen.findByRole('button', { name: 'Update Maintenance' });
  await screen.findByText('No Data');
  return rendered;
}

interface Saved {
  body: unknown;
  ifMatch: string | null;
}

/** Accepts every change, and records it. */
function take(onSave: () => void = () => undefined): Saved[] {
  const saved: Saved[] = [];
  server.use(
    http.patch(apiUrl(maintenances.item(id)), async ({ request }) => {
      saved.push({ body: await request.json(), ifMatch: request.headers.get('If-Match') });
      onSave();
      return success({});
    }),
  );
  return saved;
}

const title = () => screen.getByRole('textbox', { name: /^Title/ });
const submit = () => screen.getByRole('button', { name: 'Update Maintenance' });

it('is filled with the maintenance, and has no status field', async () => {
  await open();
  expect(screen.getByRole('heading', { level: 1, name: 'Edit Maintenance' })).toBeInTheDocument();
  expect(title()).toHaveValue('Database upgrade');
  expect(screen.getByRole('textbox', { name: /^Description/ })).toHaveValue(
    'Writes pause for a while.',
  );
  expect(screen.getByLabelText(/^Start at/)).toHaveValue('2026-12-01T22:00');
  expect(screen.getByLabelText(/^End at/)).toHaveValue('2026-12-02T00:00');
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
});

it('leads to its public page', async () => {
  await open();
  expect(await screen.findByRole('link', { name: 'Public Page' })).toHaveAttribute(
    'href',
    'https://status.example.com/status/org-1/maintenances/0123456789ab',
  );
});

it('has a card of updates', async () => {
  await open();
  expect(screen.getByRole('heading', { name: 'Updates' })).toBeInTheDocument();
  expect(screen.getByRole('table', { name: 'Updates' })).toBeInTheDocument();
});

it('saves over the version that was loaded, and goes back', async () => {
  const { user, router } = await open();
  const saved = take();
  await user.type(title(), ' again');
  fireEvent.change(screen.getByLabelText(/^End at/), { target: { value: '' } });
  await user.click(submit());
  expect(await screen.findByText('Maintenance Updated')).toBeInTheDocument();
  expect(saved).toEqual([
    {
      body: {
        title: 'Database upgrade again',
        description: 'Writes pause for a while.',
        startAt: '2026-12-01T21:00:00.000Z',
        endAt: null,
        notify: true,
      },
      ifMatch: '"1"',
    },
  ]);
  await waitFor(() => expect(router.state.location.pathname).toBe('/schedules'));
});

it('shows the affected components, also a deleted one, and sends all that are left', async () => {
  const affected = ['API', 'Old'].map((name) => {
    const componentId = name.toLowerCase();
    return { componentId, component: { id: componentId, code: '0123456789ab', name } };
  });
  const { user } = await open(aMaintenance({ components: affected }));
  const saved = take();
  const rows = screen.getAllByRole('combobox', { name: /^Component/ });
  expect(
    rows.map((row) => within(row).getByRole('option', { selected: true }).textContent),
  ).toEqual(['API', 'Old']);
  const [remove = submit()] = screen.getAllByRole('button', { name: 'Remove' });
  expect(remove).toHaveAccessibleDescription('API');
  await user.click(remove);
  await user.click(submit());
  expect(await screen.findByText('Maintenance Updated')).toBeInTheDocument();
  expect(saved[0]?.body).toMatchObject({ components: ['old'] });
});

it('says what is missing', async () => {
  const { user } = await open();
  fireEvent.change(screen.getByLabelText(/^Start at/), { target: { value: '' } });
  await user.clear(title());
  await user.click(submit());
  expect(await screen.findByText('Please enter a valid date and time')).toBeInTheDocument();
  expect(screen.getByText('Title is required')).toBeInTheDocument();
});

it('keeps what was typed when a save fails', async () => {
  const { user } = await open();
  server.use(http.patch(apiUrl(maintenances.item(id)), () => problem(403, 'No')));
  await user.type(title(), ' again');
  await user.click(submit());
  expect(await screen.findByText('Error while updating maintenance')).toBeInTheDocument();
  expect(title()).toHaveValue('Database upgrade again');
});

it('reports a deleted maintenance and goes back', async () => {
  serve(aMaintenance());
  server.use(http.get(apiUrl(maintenances.item(id)), () => problem(404, 'Gone')));
  const { router } = renderRoutes(maintenanceRoutes, { path: paths.schedules.edit(id) });
  expect(await screen.findByText('Error loading maintenance')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe('/schedules'));
});

it('cancels after asking, keeps what was typed, and takes the cancellation back after asking', async () => {
  const { user } = await open();
  let version = 1;
  const saved = take(() => {
    version += 1;
    const status = version === 2 ? 'CANCELLED' : 'SCHEDULED';
    serve(aMaintenance({ status, notify: false }), String(version));
  });
  await user.type(title(), ' again');
  await user.click(screen.getByRole('button', { name: 'Cancel Maintenance' }));
  const question = screen.getByRole('alertdialog', { name: 'Cancel this maintenance?' });
  await user.click(within(question).getByRole('checkbox', { name: 'Notify subscribers' }));
  await user.click(within(question).getByRole('button', { name: 'Cancel Maintenance' }));
  expect(await screen.findByText('Cancelled')).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Undo Cancellation' }));
  const undo = screen.getByRole('alertdialog', { name: 'Schedule this maintenance again?' });
  const notify = within(undo).getByRole('checkbox', { name: 'Notify subscribers' });
  expect(notify).not.toBeChecked();
  await user.click(within(undo).getByRole('button', { name: 'Undo Cancellation' }));
  expect(await screen.findByText('Scheduled')).toBeInTheDocument();
  expect(saved).toEqual([
    { body: { status: 'CANCELLED', notify: false }, ifMatch: '"1"' },
    { body: { status: 'SCHEDULED', notify: false }, ifMatch: '"2"' },
  ]);
  expect(title()).toHaveValue('Database upgrade again');
});

it('keeps a maintenance quiet that notifies nobody', async () => {
  const { user } = await open(aMaintenance({ notify: false }));
  const saved = take();
  expect(screen.getByRole('checkbox', { name: 'Notify subscribers' })).not.toBeChecked();
  await user.type(title(), ' again');
  await user.click(submit());
  await screen.findByText('Maintenance Updated');
  expect(saved[0]?.body).toMatchObject({ notify: false });
});

it('asks to notify of an update of a quiet maintenance', async () => {
  const { user } = await open(aMaintenance({ notify: false }));
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  expect(within(dialog).getByRole('checkbox', { name: 'Notify subscribers' })).not.toBeChecked();
});

it('completes a maintenance in progress after asking, and keeps what was typed', async () => {
  const { user } = await open(aMaintenance({ status: 'IN_PROGRESS' }));
  const completed = aMaintenance({ status: 'COMPLETED' });
  server.use(
    http.patch(apiUrl(maintenances.item(id)), () => {
      serve(completed, '2');
      return success(completed);
    }),
  );
  await user.type(title(), ' again');
  const name = 'Complete Maintenance';
  await user.click(screen.getByRole('button', { name }));
  const question = screen.getByRole('alertdialog', { name: 'Complete this maintenance?' });
  const confirm = within(question).getByRole('button', { name: 'Complete Maintenance' });
  await waitFor(() => expect(confirm).toBeEnabled());
  await user.click(confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  expect(await screen.findByText('Completed')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('button', { name })).not.toBeInTheDocument());
  expect(title()).toHaveValue('Database upgrade again');
});

it.each(['SCHEDULED', 'CANCELLED', 'COMPLETED'] as const)(
  'completes nothing that is not in progress: %s',
  async (status) => {
    await open(aMaintenance({ status }));
    expect(screen.queryByRole('button', { name: /^Complete/ })).not.toBeInTheDocument();
  },
);

it('cancels nothing that is over', async () => {
  await open(aMaintenance({ status: 'COMPLETED' }));
  expect(screen.queryByRole('button', { name: 'Cancel Maintenance' })).not.toBeInTheDocument();
});

it('records an update of the maintenance', async () => {
  const { user } = await open();
  let sent: unknown;
  server.use(
    http.post(apiUrl(maintenances.createUpdate(id)), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'We begin.');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Maintenance Update Created')).toBeInTheDocument();
  expect(sent).toEqual({ status: 'INVESTIGATING', message: 'We begin.', notify: true });
});

it('says when an update could not be recorded', async () => {
  const { user } = await open();
  server.use(http.post(apiUrl(maintenances.createUpdate(id)), () => problem(403, 'No')));
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'We begin.');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  expect(
    await screen.findByText('Error while creating or updating maintenance'),
  ).toBeInTheDocument();
});

it('edits and deletes updates by the maintenance’s own names', async () => {
  const update = {
    id: 'u',
    status: 'MONITORING',
    message: 'We watch.',
    user: { id: 'user-2', name: 'Grace Hopper' },
    createdAt: '2026-11-21T13:07:16.000Z',
  };
  let sent: unknown;
  serve(aMaintenance());
  server.use(
    http.get(apiUrl(maintenances.updates(id)), () => success([update])),
    http.get(apiUrl(maintenances.update(id, 'u')), () => problem(404, 'Gone'), { once: true }),
    http.get(apiUrl(maintenances.update(id, 'u')), () => success(update)),
    http.patch(apiUrl(maintenances.update(id, 'u')), () => success(update)),
    http.post(apiUrl(maintenances.deleteUpdates(id)), async ({ request }) => {
      sent = await request.json();
      return success({});
    }),
  );
  const { user } = renderRoutes(maintenanceRoutes, { path: paths.schedules.edit(id) });
  await user.click(await screen.findByRole('button', { name: 'Edit update “We watch.”' }));
  expect(await screen.findByText('Failed to load maintenance update')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Edit update “We watch.”' }));
  await user.click(await screen.findByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Maintenance Update Modified')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Delete update “We watch.”' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Update(s) deleted successfully')).toBeInTheDocument();
  expect(sent).toEqual({ maintenanceUpdateIds: ['u'] });
});
