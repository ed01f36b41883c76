import { act, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { endpoints, paths } from '@/paths';
import { readServerClock } from '@/api/server-clock';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { aMaintenance } from './fixtures';
import type { Maintenance } from './maintenance';
import { maintenanceRoutes } from './routes';

const { maintenances } = endpoints;
const id = 'maintenance-1';

function serve(...list: Maintenance[]) {
  server.use(http.get(apiUrl(maintenances.list), () => success(list)));
}

const render = () => renderRoutes(maintenanceRoutes, { path: paths.schedules.list });

/** Serves the last choice whether a maintenance notifies, which the list need not have. */
const serveChoice = (notify: boolean) =>
  server.use(http.get(apiUrl(maintenances.item(id)), () => success(aMaintenance({ notify }))));

/** Opens the question of the only maintenance. */
async function askToComplete(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: /^Complete Maintenance/ }));
  const question = within(screen.getByRole('alertdialog', { name: 'Complete this maintenance?' }));
  const confirm = question.getByRole('button', { name: 'Complete Maintenance' });
  await waitFor(() => expect(confirm).toBeEnabled());
  return { notify: question.getByRole('checkbox', { name: 'Notify subscribers' }), confirm };
}

it('has its heading and the columns of the specification', async () => {
  serve(aMaintenance());
  render();
  expect(await screen.findByRole('heading', { level: 1, name: 'Maintenance' })).toBeInTheDocument();
  await screen.findByText('Database upgrade');
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    '',
    'Title',
    'Status',
    'Start at',
    'End at',
    'Actions',
  ]);
  expect(screen.getByRole('checkbox', { name: 'Select Database upgrade' })).toBeInTheDocument();
});

it('shows a maintenance’s status and its times in local time, --- where there is no end', async () => {
  serve(aMaintenance(), aMaintenance({ id: 'b', title: 'Network', endAt: null }));
  render();
  const row = (await screen.findByText('Database upgrade')).closest('tr');
  expect(row).toHaveTextContent('Scheduled');
  expect(row).toHaveTextContent('Dec 01, 2026 10:00:00 PM');
  expect(row).toHaveTextContent('Dec 02, 2026 12:00:00 AM');
  expect(screen.getByText('Network').closest('tr')).toHaveTextContent('---');
});

it('sorts by how far each maintenance is, the first stage first', async () => {
  serve(
    aMaintenance({ id: 'a', title: 'Cancelled one', status: 'CANCELLED' }),
    aMaintenance({ id: 'b', title: 'Completed one', status: 'COMPLETED' }),
    aMaintenance({ id: 'c', title: 'Scheduled one', status: 'SCHEDULED' }),
    aMaintenance({ id: 'd', title: 'Begun one', status: 'IN_PROGRESS' }),
  );
  const { user } = render();
  await screen.findByText('Begun one');
  await user.click(screen.getByRole('button', { name: 'Status' }));
  const titles = screen.getAllByText(/ one$/).map(({ textContent }) => textContent);
  expect(titles).toEqual(['Scheduled one', 'Begun one', 'Completed one', 'Cancelled one']);
});

it('filters by title and status', async () => {
  serve(
    aMaintenance({ id: 'a', title: 'Old disks', status: 'COMPLETED' }),
    aMaintenance({ id: 'b', title: 'New disks' }),
    aMaintenance({ id: 'c', title: 'New cables' }),
  );
  const { user } = render();
  await screen.findByText('Old disks');
  await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'disks');
  expect(screen.queryByText('New cables')).not.toBeInTheDocument();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Scheduled');
  await waitFor(() => expect(screen.queryByText('Old disks')).not.toBeInTheDocument());
  expect(screen.getByText('New disks')).toBeInTheDocument();
});

it('leads to a new maintenance and to each one’s form', async () => {
  serve(aMaintenance());
  server.use(http.get(apiUrl(endpoints.components.list), () => success([])));
  const { user } = render();
  expect(await screen.findByRole('link', { name: 'Edit Database upgrade' })).toHaveAttribute(
    'href',
    '/schedules/maintenance/edit/maintenance-1',
  );
  await user.click(screen.getByRole('button', { name: 'New Maintenance' }));
  expect(
    await screen.findByRole('heading', { level: 1, name: 'Create Maintenance' }),
  ).toBeInTheDocument();
});

/** Chooses an item of the menu of the only maintenance. */
async function chooseAction(user: UserEvent, name: string) {
  await user.click(await screen.findByRole('button', { name: 'Actions for Database upgrade' }));
  await user.click(await screen.findByRole('menuitem', { name }));
}

it('records an update, which notifies as was chosen last', async () => {
  serve(aMaintenance());
  serveChoice(false);
  let sent: unknown;
  server.use(
    http.post(apiUrl(maintenances.createUpdate(id)), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  const { user } = render();
  await chooseAction(user, 'Record Update');
  const dialog = within(await screen.findByRole('dialog', { name: 'Record Update' }));
  await user.type(await dialog.findByRole('textbox', { name: /Message/ }), 'We begin.');
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Maintenance Update Created')).toBeInTheDocument();
  expect(sent).toEqual({ status: 'INVESTIGATING', message: 'We begin.', notify: false });
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const menu = screen.getByRole('button', { name: 'Actions for Database upgrade' });
  await waitFor(() => expect(menu).toHaveFocus());
});

it('reports a maintenance that is deleted before an update of it', async () => {
  serve(aMaintenance());
  server.use(http.get(apiUrl(maintenances.item(id)), () => problem(404, 'Gone')));
  const { user } = render();
  await chooseAction(user, 'Record Update');
  expect(await screen.findByText('Error loading maintenance')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('leads to a duplicate', async () => {
  serve(aMaintenance());
  serveChoice(true);
  const { user, router } = render();
  await chooseAction(user, 'Duplicate');
  await screen.findByRole('heading', { level: 1, name: 'Create Maintenance' });
  expect(router.state.location.search).toBe(`?from=${id}`);
});

it('completes a maintenance now', async () => {
  const maintenance = aMaintenance({ status: 'IN_PROGRESS' });
  let sent: unknown;
  server.use(
    http.get(apiUrl(maintenances.list), () => success([maintenance])),
    http.patch(apiUrl(maintenances.item(id)), async ({ request }) => {
      sent = await request.json();
      maintenance.status = 'COMPLETED';
      return success(maintenance);
    }),
  );
  const { user } = render();
  const complete = await screen.findByRole('button', { name: 'Complete Maintenance' });
  expect(complete).toHaveAccessibleDescription('Database upgrade');
  serveChoice(true);
  const { notify, confirm } = await askToComplete(user);
  expect(notify).toBeChecked();
  vi.useFakeTimers({ now: new Date('2026-12-01T22:00:01.234Z'), toFake: ['Date'] });
  await user.click(confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  vi.useRealTimers();
  expect(sent).toEqual({ endAt: '2026-12-01T22:00:01.234Z' });
  const row = screen.getByText('Database upgrade').closest('tr');
  await waitFor(() => expect(row).toHaveTextContent('Completed'));
  expect(complete).toBeDisabled();
});

it('asks whether the completion notifies, as was chosen last unless that is changed', async () => {
  serve(aMaintenance({ status: 'IN_PROGRESS' }));
  serveChoice(false);
  const sent: unknown[] = [];
  server.use(
    http.patch(apiUrl(maintenances.item(id)), async ({ request }) => {
      sent.push(await request.json());
      return success(aMaintenance({ status: 'COMPLETED' }));
    }),
  );
  const { user } = render();
  const { notify, confirm } = await askToComplete(user);
  expect(notify).not.toBeChecked();
  await user.click(notify);
  await user.click(confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  expect(sent).toMatchObject([{ notify: true }]);
});

it('asks with the newest choice, also when it asks again', async () => {
  serve(aMaintenance({ status: 'IN_PROGRESS' }));
  serveChoice(true);
  const { user } = render();
  expect((await askToComplete(user)).notify).toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Not Yet' }));
  serveChoice(false);
  expect((await askToComplete(user)).notify).not.toBeChecked();
});

it('notifies nobody of the completion, unless that is chosen, if the last choice cannot be read', async () => {
  serve(aMaintenance({ status: 'IN_PROGRESS' }));
  const sent: unknown[] = [];
  server.use(
    http.get(apiUrl(maintenances.item(id)), () => problem(403, 'No')),
    http.patch(apiUrl(maintenances.item(id)), async ({ request }) => {
      sent.push(await request.json());
      return success(aMaintenance({ status: 'COMPLETED' }));
    }),
  );
  const { user } = render();
  await user.click((await askToComplete(user)).confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  expect(sent).toMatchObject([{ notify: false }]);
});

it('completes a maintenance only once it has begun', async () => {
  vi.useFakeTimers({
    now: new Date('2026-12-01T20:59:50.000Z'),
    toFake: ['Date', 'setInterval', 'clearInterval'],
  });
  serve(aMaintenance());
  render();
  const complete = await screen.findByRole('button', { name: /^Complete Maintenance/ });
  expect(complete).toBeDisabled();
  expect(complete).toHaveAccessibleDescription(
    'Database upgrade. Possible once the maintenance has begun.',
  );
  act(() => void vi.advanceTimersByTime(15_000));
  expect(complete).toBeEnabled();
  expect(complete).toHaveAccessibleDescription('Database upgrade');
});

it('says that the maintenance is not completed when the response does', async () => {
  serve(aMaintenance({ status: 'IN_PROGRESS' }));
  server.use(
    http.patch(apiUrl(maintenances.item(id)), () =>
      success(aMaintenance({ status: 'IN_PROGRESS' })),
    ),
  );
  serveChoice(true);
  const { user } = render();
  await user.click((await askToComplete(user)).confirm);
  expect(await screen.findByText('Failed to complete maintenance')).toBeInTheDocument();
  expect(screen.queryByText('Maintenance completed successfully')).not.toBeInTheDocument();
});

it('completes by the server’s clock when the browser’s clock is fast', async () => {
  const maintenance = aMaintenance({ status: 'IN_PROGRESS' });
  let sent: unknown;
  server.use(
    http.get(apiUrl(maintenances.list), () =>
      HttpResponse.json(
        { data: [maintenance] },
        { headers: { Date: 'Tue, 01 Dec 2026 21:45:00 GMT' } },
      ),
    ),
    http.patch(apiUrl(maintenances.item(id)), async ({ request }) => {
      sent = await request.json();
      return success({ ...maintenance, status: 'COMPLETED' });
    }),
  );
  vi.useFakeTimers({ now: new Date('2026-12-01T22:00:01.234Z'), toFake: ['Date'] });
  serveChoice(true);
  const { user } = render();
  await user.click((await askToComplete(user)).confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  expect(sent).toMatchObject({ endAt: '2026-12-01T21:45:00.000Z' });
  readServerClock(new Response(null, { headers: { Date: new Date().toUTCString() } }));
  vi.useRealTimers();
});

it.each(['COMPLETED', 'CANCELLED'] as const)(
  'completes no maintenance that is %s',
  async (status) => {
    serve(aMaintenance({ status }));
    render();
    expect(await screen.findByRole('button', { name: /^Complete Maintenance/ })).toBeDisabled();
  },
);

const endBeforeStart = problem(400, 'Invalid fields', [
  { field: 'endAt', message: 'End must not be before start' },
]);

it.each([
  ['SCHEDULED', endBeforeStart, ['End must not be before start']],
  ['IN_PROGRESS', problem(409, 'It is over'), ['It is over']],
  ['IN_PROGRESS', problem(403, 'No'), []],
] as const)(
  'says that a maintenance could not be completed, and why (%#)',
  async (status, refusal, reasons) => {
    serve(aMaintenance({ status, startAt: '2026-11-21T13:00:00.000Z' }));
    server.use(http.patch(apiUrl(maintenances.item(id)), () => refusal));
    serveChoice(true);
    const { user } = render();
    await user.click((await askToComplete(user)).confirm);
    const notifications = within(screen.getByRole('region', { name: /^Notifications/ }));
    expect(await notifications.findByText('Failed to complete maintenance')).toBeInTheDocument();
    expect(
      notifications.queryAllByText(/^End|is over|^No$/).map((reason) => reason.textContent),
    ).toEqual(reasons);
  },
);

it('deletes one maintenance after asking', async () => {
  const list = [aMaintenance()];
  server.use(
    http.get(apiUrl(maintenances.list), () => success([...list])),
    http.delete(apiUrl(maintenances.item(id)), () => {
      list.pop();
      return success({ id });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Database upgrade' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete this maintenance?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Maintenance deleted successfully')).toBeInTheDocument();
  expect(await screen.findByText('No Data')).toBeInTheDocument();
});

it('says when a maintenance could not be deleted', async () => {
  serve(aMaintenance());
  server.use(http.delete(apiUrl(maintenances.item(id)), () => problem(403, 'No')));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Database upgrade' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Failed to delete maintenance')).toBeInTheDocument();
});

it('says when the list could not be fetched', async () => {
  server.use(http.get(apiUrl(maintenances.list), () => problem(403, 'No')));
  render();
  expect(await screen.findByText('Failed to fetch maintenance list')).toBeInTheDocument();
  expect(await screen.findByText('Maintenance could not be loaded')).toBeInTheDocument();
});
