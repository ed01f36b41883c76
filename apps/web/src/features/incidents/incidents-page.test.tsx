import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { Outlet } from 'react-router-dom';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { FakeSocket } from '@/testing/fake-socket';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { anIncident } from './fixtures';
import type { Incident } from './incident';
import { incidentRoutes } from './routes';

const { incidents } = endpoints;

function serve(...list: Incident[]) {
  server.use(http.get(apiUrl(incidents.list), () => success(list)));
}

const render = () => renderRoutes(incidentRoutes, { path: paths.incidents.list });

it('has its heading and the columns of the specification', async () => {
  serve(anIncident());
  render();
  expect(await screen.findByRole('heading', { level: 1, name: 'Incidents' })).toBeInTheDocument();
  await screen.findByText('Checkout fails');
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    '',
    'Name',
    'Status',
    'Occurred at',
    'Created at',
    'Record Updated',
    'Edit',
    'Delete',
  ]);
  expect(screen.getByRole('checkbox', { name: 'Select Checkout fails' })).toBeInTheDocument();
});

it('shows an incident’s title, status and times in local time', async () => {
  serve(anIncident());
  render();
  const row = (await screen.findByText('Checkout fails')).closest('tr');
  expect(row).toHaveTextContent('Investigating');
  expect(row).toHaveTextContent('Jul 15, 2026 11:30:12 AM');
  expect(row).toHaveTextContent('Nov 21, 2026 02:07:16 PM');
});

it('leads to a new incident and to each one’s form', async () => {
  serve(anIncident());
  render();
  expect(await screen.findByRole('link', { name: 'New Incident' })).toHaveAttribute(
    'href',
    '/incidents/incident/create',
  );
  expect(await screen.findByRole('link', { name: 'Edit Checkout fails' })).toHaveAttribute(
    'href',
    '/incidents/incident/edit/incident-1',
  );
});

it('sorts by how far each incident is, the first stage first', async () => {
  serve(
    anIncident({ id: 'a', title: 'Resolved one', status: 'RESOLVED' }),
    anIncident({ id: 'b', title: 'Monitored one', status: 'MONITORING' }),
    anIncident({ id: 'c', title: 'Identified one', status: 'IDENTIFIED' }),
    anIncident({ id: 'd', title: 'Investigated one', status: 'INVESTIGATING' }),
  );
  const { user } = render();
  await screen.findByText('Resolved one');
  await user.click(screen.getByRole('button', { name: 'Status' }));
  const titles = screen.getAllByText(/ one$/).map(({ textContent }) => textContent);
  expect(titles).toEqual(['Investigated one', 'Identified one', 'Monitored one', 'Resolved one']);
});

it('filters by title and status, and says that older incidents are not searched', async () => {
  const newer = anIncident({ id: 'b', title: 'Mail is slow' });
  const older = anIncident({ id: 'a', title: 'Shop is down', status: 'RESOLVED' });
  server.use(
    http.get(apiUrl(incidents.list), ({ request }) =>
      new URL(request.url).searchParams.has('before')
        ? success([older], { next: null })
        : success([newer], { next: 'b' }),
    ),
  );
  const { user } = render();
  await screen.findByText('Mail is slow');
  await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'DOWN');
  const none = 'No incident matches the filter.';
  expect(await screen.findByText(`${none} Older ones are not searched.`)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('Shop is down')).toBeInTheDocument();
  expect(screen.queryByText('Mail is slow')).not.toBeInTheDocument();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Open');
  expect(await screen.findByText(none)).toBeInTheDocument();
});

it('offers no update of a resolved incident', async () => {
  serve(
    anIncident({ id: 'a', title: 'Old one', status: 'RESOLVED' }),
    anIncident({ id: 'b', title: 'New one', status: 'MONITORING' }),
  );
  render();
  const buttons = await screen.findAllByRole('button', { name: 'Record Updated' });
  const [old, next] = ['Old one', 'New one'].map((title) =>
    buttons.find((button) => button.getAttribute('aria-description') === title),
  );
  expect(old).toBeDisabled();
  expect(next).toBeEnabled();
});

it('records an update and asks for the list again', async () => {
  const incident = anIncident();
  let sent: unknown;
  server.use(
    http.get(apiUrl(incidents.list), () => success([incident])),
    http.post(apiUrl(incidents.createUpdate('incident-1')), async ({ request }) => {
      sent = await request.json();
      incident.status = 'MONITORING';
      return success({}, { status: 201 });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  expect(within(dialog).getByRole('radio', { name: 'Investigating' })).toBeChecked();
  await user.click(within(dialog).getByRole('radio', { name: 'Monitoring' }));
  await user.type(within(dialog).getByRole('textbox', { name: /Message/ }), 'It works again.');
  await user.click(within(dialog).getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Incident Update Created')).toBeInTheDocument();
  expect(sent).toEqual({ status: 'MONITORING', message: 'It works again.', notify: true });
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByText('Checkout fails').closest('tr')).toHaveTextContent('Monitoring');
  expect(screen.getByRole('button', { name: 'Record Updated' })).toHaveFocus();
});

it('moves the focus to the list after an update that resolves the incident', async () => {
  const incident = anIncident();
  server.use(
    http.get(apiUrl(incidents.list), () => success([incident])),
    http.post(apiUrl(incidents.createUpdate('incident-1')), () => {
      incident.status = 'RESOLVED';
      return success({}, { status: 201 });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  await user.click(screen.getByRole('radio', { name: 'Resolved' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'It works again.');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('button', { name: 'Record Updated' })).toBeDisabled();
  expect(screen.getByRole('group', { name: 'Incidents' })).toHaveFocus();
});

it.each([
  [409, 'A resolved incident takes no further updates'],
  [403, 'Choose an organisation'],
])('keeps what was typed when an update is refused by %s, and says why', async (status, reason) => {
  serve(anIncident());
  server.use(
    http.post(apiUrl(incidents.createUpdate('incident-1')), () => problem(status, reason)),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'It works again.');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const notifications = within(screen.getByRole('region', { name: /^Notifications/ }));
  expect(
    await notifications.findByText('Error while creating or updating incident'),
  ).toBeInTheDocument();
  expect(within(screen.getByRole('dialog')).getByRole('alert')).toHaveTextContent(reason);
  expect(screen.getByRole('textbox', { name: /Message/ })).toHaveValue('It works again.');
});

it('asks before a typed update is thrown away', async () => {
  serve(anIncident());
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'It');
  await user.keyboard('{Escape}');
  expect(screen.getByRole('alertdialog', { name: 'Close without saving?' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Keep Editing' }));
  expect(screen.getByRole('textbox', { name: /Message/ })).toHaveValue('It');
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

/** Renders the list with the socket. */
function renderLive() {
  const live = (
    <RealtimeProvider>
      <Outlet />
    </RealtimeProvider>
  );
  return renderRoutes([{ element: live, children: incidentRoutes }], {
    path: paths.incidents.list,
  });
}

it('shows the current status of the incident beside a new update', async () => {
  serve(anIncident());
  const { user } = renderLive();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  expect(dialog).toHaveAccessibleDescription('Checkout fails Now: Investigating');
  await act(() => FakeSocket.last.join());
  act(() => FakeSocket.last.fire('incident-updated', anIncident({ status: 'IDENTIFIED' })));
  await waitFor(() => expect(dialog).toHaveAccessibleDescription('Checkout fails Now: Identified'));
  expect(within(dialog).getByRole('alert')).toHaveTextContent(
    'This incident has changed since you opened it',
  );
});

it('keeps a typed update when its row goes', async () => {
  serve(anIncident());
  const { user } = renderLive();
  await user.click(await screen.findByRole('button', { name: 'Record Updated' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'It works again.');
  await act(() => FakeSocket.last.join());
  server.use(http.get(apiUrl(incidents.item('incident-1')), () => problem(404, 'There is none')));
  act(() => FakeSocket.last.fire('incident-deleted', 'incident-1'));
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  expect(await screen.findByText(/^This incident was deleted/)).toBeVisible();
  expect(screen.getByRole('textbox', { name: /Message/ })).toHaveValue('It works again.');
});

it('deletes one incident after asking', async () => {
  const list = [anIncident()];
  server.use(
    http.get(apiUrl(incidents.list), () => success(list)),
    http.delete(apiUrl(incidents.item('incident-1')), () => {
      list.pop();
      return success({ id: 'incident-1' });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Checkout fails' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete this incident?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Incident Deleted')).toBeInTheDocument();
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('group', { name: 'Incidents' })).toHaveFocus());
});

it('keeps the question before a deletion when its row moves to the next page', async () => {
  const list = [1, 2, 3, 4, 5].map((id) => anIncident({ id: `${id}`, title: `Incident ${id}` }));
  serve(...list);
  let deleted: unknown;
  server.use(
    http.delete(apiUrl('/incident/:id'), ({ params }) => {
      deleted = params.id;
      return success({ id: params.id });
    }),
  );
  const { user } = renderLive();
  await user.click(await screen.findByRole('button', { name: 'Delete Incident 5' }));
  await act(() => FakeSocket.last.join());
  act(() => FakeSocket.last.fire('new-incident', anIncident({ id: '6', title: 'Incident 6' })));
  expect(await screen.findByText('Incident 6')).toBeInTheDocument();
  expect(screen.queryByText('Incident 5')).not.toBeInTheDocument();
  const question = screen.getByRole('alertdialog', { name: 'Delete this incident?' });
  expect(question).toHaveTextContent('“Incident 5” and its updates are deleted');
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Incident Deleted')).toBeInTheDocument();
  expect(deleted).toBe('5');
  await waitFor(() => expect(screen.getByRole('group', { name: 'Incidents' })).toHaveFocus());
});

it('says that an incident is deleted before the list has been read again', async () => {
  serve(anIncident());
  server.use(
    http.delete(apiUrl(incidents.item('incident-1')), () => {
      server.use(http.get(apiUrl(incidents.list), () => new Promise<never>(() => undefined)));
      return success({ id: 'incident-1' });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Checkout fails' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Incident Deleted')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
});

it('says error when an incident could not be deleted', async () => {
  serve(anIncident());
  server.use(http.delete(apiUrl(incidents.item('incident-1')), () => problem(403, 'No')));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Checkout fails' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('error')).toBeInTheDocument();
});

it('counts an incident as deleted that another user has deleted', async () => {
  serve(anIncident());
  server.use(http.delete(apiUrl(incidents.item('incident-1')), () => problem(404, 'Gone')));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Checkout fails' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Incident Deleted')).toBeInTheDocument();
});

it('says why an incident may not be deleted', async () => {
  serve(anIncident());
  const reason = 'The incident has a review that is published';
  server.use(http.delete(apiUrl(incidents.item('incident-1')), () => problem(409, reason)));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Delete Checkout fails' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(reason)).toBeInTheDocument();
  expect(screen.getByText('error')).toBeInTheDocument();
});

it('deletes several at once, and reports when one of them failed', async () => {
  const list = ['a', 'b', 'c'].map((id) => anIncident({ id, title: `Incident ${id}` }));
  let refusing = true;
  server.use(
    http.get(apiUrl(incidents.list), () => success([...list])),
    http.delete(apiUrl('/incident/:id'), ({ params }) => {
      if (refusing && params.id === 'b') return problem(403, 'No');
      list.splice(
        list.findIndex(({ id }) => id === params.id),
        1,
      );
      return success({ id: params.id });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('checkbox', { name: 'Select Incident a' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select Incident b' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.click(
    within(screen.getByRole('alertdialog', { name: 'Delete 2 incidents?' })).getByRole('button', {
      name: 'Delete',
    }),
  );
  expect(await screen.findByText('Failed to delete incidents')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByText('Incident a')).not.toBeInTheDocument());

  refusing = false;
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Incident(s) deleted successfully')).toBeInTheDocument();
  expect(screen.queryByText('Incident b')).not.toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('group', { name: 'Incidents' })).toHaveFocus());
  expect(screen.getByText('Incident c')).toBeInTheDocument();
});

it('says when the incidents could not be fetched, and fetches them when asked again', async () => {
  server.use(
    http.get(apiUrl(incidents.list), () => problem(403, 'Choose an organisation'), { once: true }),
  );
  const { user } = render();
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
  expect(await screen.findByText('Error while fetching incidents')).toBeInTheDocument();
  expect(await screen.findByText('Incidents could not be loaded')).toBeInTheDocument();
  serve(anIncident());
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Checkout fails')).toBeInTheDocument();
});
