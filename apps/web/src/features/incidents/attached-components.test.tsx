import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { Outlet } from 'react-router-dom';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { componentGroup } from '@/testing/component-group';
import { FakeSocket } from '@/testing/fake-socket';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { aComponent, anAttached, anIncident } from './fixtures';
import { incidentRoutes } from './routes';

const { incidents } = endpoints;
const id = 'incident-1';

/**
 * Opens the Components tab of an incident; `attached` and `free` are the server's later responses.
 */
async function open(attached: string[], free: string[] = []) {
  server.use(
    http.get(apiUrl(incidents.item(id)), () => success(anIncident())),
    http.get(apiUrl(incidents.updates(id)), () => success([])),
    http.get(apiUrl(incidents.components(id)), () => success(attached.map(anAttached))),
    http.get(apiUrl(incidents.unattached(id)), () => success(free.map(aComponent))),
  );
  const live = (
    <RealtimeProvider>
      <Outlet />
    </RealtimeProvider>
  );
  const rendered = renderRoutes([{ element: live, children: incidentRoutes }], {
    path: paths.incidents.edit(id),
  });
  await rendered.user.click(await screen.findByRole('tab', { name: 'Components' }));
  await screen.findByRole('table', { name: 'Components', busy: false });
  return rendered;
}

async function openDialog(free: string[]) {
  const rendered = await open([], free);
  await rendered.user.click(screen.getByRole('button', { name: 'Attach' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Attach Components' }));
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Add Component' })).toBeEnabled());
  return { ...rendered, dialog };
}

it('shows what the incident affects and the status it puts on it', async () => {
  await open(['API']);
  const row = (await screen.findByText('API')).closest('tr');
  expect(row).toHaveTextContent('Partial Outage');
});

it('attaches several components, and offers each only once', async () => {
  const { user, dialog } = await openDialog(['Website', 'API']);
  let sent: unknown;
  server.use(
    http.post(apiUrl(incidents.attach(id)), async ({ request }) => {
      sent = await request.json();
      return success({});
    }),
  );
  const add = dialog.getByRole('button', { name: 'Add Component' });
  await user.click(add);
  expect(dialog.getByRole('combobox', { name: /^Status/ })).toHaveValue('OPERATIONAL');
  await user.selectOptions(dialog.getByRole('combobox', { name: /^Status/ }), 'Partial Outage');
  await user.selectOptions(dialog.getByRole('combobox', { name: /^Component/ }), 'API');
  await user.click(add);
  expect(add).toBeDisabled();
  const second = dialog.getAllByRole('combobox', { name: /^Component/ })[1] ?? document.body;
  expect(within(second).queryByRole('option', { name: 'API' })).not.toBeInTheDocument();
  await user.selectOptions(second, 'Website');
  await user.click(dialog.getByRole('button', { name: 'Attach' }));
  expect(await screen.findByText('Components attached successfully')).toBeInTheDocument();
  expect(sent).toEqual({
    components: [
      { componentId: 'id-API', status: 'PARTIAL_OUTAGE' },
      { componentId: 'id-Website', status: 'OPERATIONAL' },
    ],
  });
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('requires at least one row, and a component in each row', async () => {
  const { user, dialog } = await openDialog(['Website']);
  await user.click(dialog.getByRole('button', { name: 'Attach' }));
  expect(await dialog.findByText('At least one component is required')).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Add Component' }));
  await user.click(dialog.getByRole('button', { name: 'Attach' }));
  expect(await dialog.findByText('Component is required')).toBeInTheDocument();
});

it('reports no empty row before it is sent', async () => {
  const { user, dialog } = await openDialog(['Website', 'API']);
  for (let row = 0; row < 2; row += 1) {
    await user.click(dialog.getByRole('button', { name: 'Add Component' }));
  }
  expect(dialog.getAllByRole('combobox', { name: /^Component/ })).toHaveLength(2);
  expect(dialog.queryByText('Component is required')).not.toBeInTheDocument();
});

it('lists the rows in at most 500 pixels', async () => {
  const { user, dialog } = await openDialog(['Website']);
  await user.click(dialog.getByRole('button', { name: 'Add Component' }));
  expect(dialog.getByRole('list')).toHaveClass('max-h-[500px]', 'overflow-y-auto');
});

it('keeps the rows when attaching fails', async () => {
  const { user, dialog } = await openDialog(['Website']);
  server.use(http.post(apiUrl(incidents.attach(id)), () => problem(403, 'No')));
  await user.click(dialog.getByRole('button', { name: 'Add Component' }));
  await user.selectOptions(dialog.getByRole('combobox', { name: /^Component/ }), 'Website');
  await user.click(dialog.getByRole('button', { name: 'Attach' }));
  expect(await screen.findByText('Failed to attach components')).toBeInTheDocument();
  expect(dialog.getByRole('combobox', { name: /^Component/ })).toHaveDisplayValue('Website');
});

it('changes the status of one component, and of several at once', async () => {
  const { user } = await open(['API', 'Website', 'Mail']);
  let sent: unknown;
  let isResolved = false;
  server.use(
    http.patch(apiUrl(incidents.impacts(id)), async ({ request }) => {
      sent = await request.json();
      return isResolved ? problem(409, 'The incident is resolved') : success([]);
    }),
  );
  await user.click(await screen.findByRole('button', { name: /^Change the status of API/ }));
  const one = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  expect(one.getByRole('radio', { name: 'Partial Outage' })).toBeChecked();
  expect(one.getByRole('radio', { name: 'Partial Outage' })).toHaveFocus();
  await user.click(one.getByRole('radio', { name: 'Major Outage' }));
  await user.click(one.getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual({ components: [{ componentId: 'id-API', status: 'MAJOR_OUTAGE' }] });
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();

  isResolved = true;
  await user.click(screen.getByRole('checkbox', { name: 'Select Website' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select Mail' }));
  await user.click(screen.getByRole('button', { name: 'Change Status' }));
  const both = within(screen.getByRole('dialog', { name: 'Change the status of 2 components' }));
  await user.click(both.getByRole('radio', { name: 'Operational' }));
  await user.click(both.getByRole('button', { name: 'Change Status' }));
  expect(await both.findByText('The incident is resolved')).toBeInTheDocument();
  expect(sent).toEqual({
    components: [
      { componentId: 'id-Website', status: 'OPERATIONAL' },
      { componentId: 'id-Mail', status: 'OPERATIONAL' },
    ],
  });
});

it('saves no status over one of another user that is not on the screen, until the user keeps it', async () => {
  const { user } = await open(['API']);
  const sent: unknown[] = [];
  const elsewhere = { ...anAttached('API'), status: 'DEGRADED' as const };
  server.use(
    http.get(apiUrl(incidents.components(id)), () => success([elsewhere])),
    http.patch(apiUrl(incidents.impacts(id)), async ({ request }) => {
      sent.push(await request.json());
      return success([]);
    }),
  );
  await user.click(await screen.findByRole('button', { name: /^Change the status of API/ }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  await user.click(dialog.getByRole('radio', { name: 'Major Outage' }));
  await user.click(dialog.getByRole('button', { name: 'Change Status' }));
  const conflict = within(await dialog.findByRole('alert'));
  expect(conflict.getByRole('definition')).toHaveTextContent('Degraded Performance');
  expect(sent).toEqual([]);
  await user.click(conflict.getByRole('button', { name: 'Keep Mine' }));
  await user.click(dialog.getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual([{ components: [{ componentId: 'id-API', status: 'MAJOR_OUTAGE' }] }]);
});

it('detaches one component after asking', async () => {
  const attached = ['API', 'Website'];
  const { user } = await open(attached);
  let sent: unknown;
  server.use(
    http.post(apiUrl(incidents.detach(id)), async ({ request }) => {
      sent = await request.json();
      attached.shift();
      return success({});
    }),
  );
  await user.click(await screen.findByRole('button', { name: 'Detach API' }));
  const question = screen.getByRole('alertdialog', { name: 'Detach this component?' });
  expect(question).toHaveAccessibleDescription(
    'The incident no longer affects the status of what is detached. Its downtime so far stays in the component’s History; correct it there.',
  );
  await user.click(within(question).getByRole('button', { name: 'Detach' }));
  expect(await screen.findByText('Component(s) detached successfully')).toBeInTheDocument();
  expect(sent).toEqual({ componentIds: ['id-API'] });
  await waitFor(() => expect(screen.queryByText('API')).not.toBeInTheDocument());
});

it('detaches several at once', async () => {
  const { user } = await open(['API', 'Website', 'Mail']);
  let sent: unknown;
  server.use(
    http.post(apiUrl(incidents.detach(id)), async ({ request }) => {
      sent = await request.json();
      return problem(409, 'The incident is resolved');
    }),
  );
  await user.click(await screen.findByRole('checkbox', { name: 'Select API' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select Mail' }));
  await user.click(screen.getByRole('button', { name: 'Detach' }));
  const question = screen.getByRole('alertdialog', { name: 'Detach 2 components?' });
  await user.click(within(question).getByRole('button', { name: 'Detach' }));
  expect(await screen.findByText('Failed to detach components')).toBeInTheDocument();
  expect(screen.getByText('The incident is resolved')).toBeInTheDocument();
  expect(sent).toEqual({ componentIds: ['id-API', 'id-Mail'] });
});

it('detaches the others if another user has detached one first', async () => {
  const { user } = await open(['API', 'Website', 'Mail']);
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(incidents.detach(id)), async ({ request }) => {
      sent.push(await request.json());
      if (sent.length > 1) return success({});
      return problem(422, 'Some fields are wrong', [
        { field: 'componentIds[1]', message: 'This component is not attached' },
      ]);
    }),
  );
  await user.click(await screen.findByRole('checkbox', { name: 'Select API' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select Mail' }));
  await user.click(screen.getByRole('button', { name: 'Detach' }));
  const question = screen.getByRole('alertdialog', { name: 'Detach 2 components?' });
  await user.click(within(question).getByRole('button', { name: 'Detach' }));
  expect(await screen.findByText('Component(s) detached successfully')).toBeInTheDocument();
  expect(sent).toEqual([{ componentIds: ['id-API', 'id-Mail'] }, { componentIds: ['id-API'] }]);
});

it('keeps the focus on a checkbox when another component changes', async () => {
  await open(['API', 'Website']);
  await act(() => FakeSocket.last.join());
  const checkbox = screen.getByRole('checkbox', { name: 'Select API' });
  checkbox.focus();
  const shop = { ...aComponent('Website'), name: 'Shop' };
  act(() => FakeSocket.last.fire('component-update', shop));
  expect(await screen.findByText('Shop')).toBeInTheDocument();
  expect(checkbox).toHaveFocus();
});

it('says when the components could not be fetched', async () => {
  server.use(
    http.get(apiUrl(incidents.item(id)), () => success(anIncident())),
    http.get(apiUrl(incidents.updates(id)), () => success([])),
    http.get(apiUrl(incidents.components(id)), () => problem(403, 'No')),
  );
  const { user } = renderRoutes(incidentRoutes, { path: paths.incidents.edit(id) });
  await user.click(await screen.findByRole('tab', { name: 'Components' }));
  expect(await screen.findByText('Error while fetching components')).toBeInTheDocument();
  expect(await screen.findByText('The components could not be loaded')).toBeInTheDocument();
});

it('tells components of the same name apart by their groups', async () => {
  const gateway = { ...aComponent('Gateway'), groupId: 'usa' };
  const other = { ...gateway, id: 'other', groupId: 'europe' };
  server.use(
    http.get(apiUrl(endpoints.components.list), () =>
      success([gateway, other, { ...aComponent('Website'), position: 2 }]),
    ),
    http.get(apiUrl(endpoints.componentGroups.list), () =>
      success([componentGroup('USA', { position: 3 }), componentGroup('Europe')]),
    ),
  );
  const { user } = await open(['Gateway']);
  expect((await screen.findByText('USA')).closest('tr')).toHaveTextContent('GatewayUSA');
  server.use(
    http.get(apiUrl(incidents.unattached(id)), () => success([aComponent('Website'), other])),
  );
  await user.click(screen.getByRole('button', { name: 'Attach' }));
  const add = screen.getByRole('button', { name: 'Add Component' });
  await waitFor(() => expect(add).toBeEnabled());
  await user.click(add);
  const picker = within(screen.getByRole('combobox', { name: /^Component/ }));
  const europe = within(picker.getByRole('group', { name: 'Europe' }));
  expect(europe.getByRole('option', { name: 'Gateway (Europe)' })).toHaveValue('other');
  expect(picker.getAllByRole('option').map((option) => option.textContent)).toEqual([
    'Select a component',
    'Gateway (Europe)',
    'Website',
  ]);
});
