import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { Outlet } from 'react-router-dom';
import { beforeEach, expect, it } from 'vitest';
import type { ComponentGroup } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { FakeSocket } from '@/testing/fake-socket';
import { renderRoutes } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { componentRoutes } from './routes';

const europe = componentGroup('Europe', { id: 'g1' });
let groups: ComponentGroup[];
let sent: { method: string; body: unknown }[];

beforeEach(() => {
  groups = [europe];
  sent = [];
  const store = async (request: Request) => {
    sent.push({ method: request.method, body: await request.json() });
  };
  const zurich = component('Zurich', { groupId: 'g1', status: 'DEGRADED' });
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success([zurich, component('Website')])),
    http.get(apiUrl(endpoints.components.item('website')), () =>
      success(component('Website'), { etag: '"1"' }),
    ),
    http.patch(apiUrl(endpoints.components.item('website')), async ({ request }) => {
      await store(request);
      return success(component('Website'));
    }),
    http.get(apiUrl(endpoints.componentGroups.list), () => success(groups)),
    http.post(apiUrl(endpoints.componentGroups.create), async ({ request }) => {
      await store(request);
      groups = [{ ...europe, id: 'g2', name: 'Asia' }, ...groups];
      return success(groups[0], { status: 201 });
    }),
    http.get(apiUrl(endpoints.componentGroups.item('g1')), () => success(europe, { etag: '"1"' })),
    http.patch(apiUrl(endpoints.componentGroups.item('g1')), async ({ request }) => {
      await store(request);
      return request.headers.get('If-Match') === '"1"' ? success(europe) : problem(412, 'Stale');
    }),
    http.delete(apiUrl(endpoints.componentGroups.item('g1')), () => {
      groups = [];
      return success({ id: 'g1' });
    }),
  );
});

const open = () => renderRoutes(componentRoutes, { path: paths.components.list });
const section = async () => within(await screen.findByRole('region', { name: 'Groups' }));

it('lists groups with their worst status and number of components', async () => {
  open();
  const row = (await (await section()).findByText('Europe')).closest('tr');
  expect(row).toHaveTextContent('EuropeDegraded Performance1Open');
  const zurich = screen.getByText('Zurich').closest('td');
  expect(zurich).toHaveTextContent('ZurichEurope');
});

it('shows that a component of a group is under maintenance', async () => {
  const zurich = component('Zurich', { groupId: 'g1', underMaintenance: true });
  server.use(http.get(apiUrl(endpoints.components.list), () => success([zurich])));
  open();
  const row = (await (await section()).findByText('Europe')).closest('tr');
  expect(row).toHaveTextContent('EuropeUnder Maintenance1Open');
});

it('sorts groups by the severity of their status, the worst first', async () => {
  groups = ['Asia', 'Europe', 'America'].map((name) => componentGroup(name, { id: name }));
  const statuses = { Asia: 'MAJOR_OUTAGE', Europe: 'DEGRADED', America: 'PARTIAL_OUTAGE' } as const;
  const members = Object.entries(statuses).map(([groupId, status]) =>
    component(`In ${groupId}`, { groupId, status }),
  );
  server.use(http.get(apiUrl(endpoints.components.list), () => success(members)));
  const { user } = open();
  const groupsSection = await section();
  await groupsSection.findByText('Asia');
  await user.click(groupsSection.getByRole('button', { name: 'Status' }));
  const sorted = groupsSection
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByText(/Degraded|Outage/).textContent);
  expect(sorted).toEqual(['Major Outage', 'Partial Outage', 'Degraded Performance']);
});

it('counts components beyond the newest 500, and says nothing of a group before they are read', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const berlin = component('Berlin', { groupId: 'g1', status: 'MAJOR_OUTAGE' });
  server.use(
    http.get(apiUrl(endpoints.components.list), async ({ request }) => {
      if (!new URL(request.url).searchParams.has('before')) {
        return success([component('Zurich', { groupId: 'g1' })], { next: 'zurich' });
      }
      await finished;
      return success([berlin]);
    }),
  );
  open();
  await screen.findByText('Zurich');
  expect((await section()).queryByText('Europe')).not.toBeInTheDocument();
  finish();
  const row = (await (await section()).findByText('Europe')).closest('tr');
  expect(row).toHaveTextContent('EuropeMajor Outage2Open');
});

it('shows no status of a group when the components could not be read', async () => {
  server.use(http.get(apiUrl(endpoints.components.list), () => problem(403, 'Not now')));
  const { user } = open();
  const groupsSection = await section();
  expect(
    await groupsSection.findByText('The components of the groups could not be loaded'),
  ).toBeInTheDocument();
  expect(groupsSection.queryByText('Operational')).not.toBeInTheDocument();
  server.use(
    http.get(apiUrl(endpoints.components.list), () =>
      success([component('Zurich', { groupId: 'g1', status: 'DEGRADED' })]),
    ),
  );
  await user.click(groupsSection.getByRole('button', { name: 'Try Again' }));
  expect(await groupsSection.findByText('Degraded Performance')).toBeInTheDocument();
});

it('creates a group', async () => {
  const { user } = open();
  await section();
  await user.click(screen.getByRole('button', { name: 'New Group' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Create Group' }));
  await user.click(dialog.getByRole('button', { name: 'Create' }));
  expect(await dialog.findByText('Name is required')).toBeInTheDocument();
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Asia');
  await user.selectOptions(dialog.getByRole('combobox', { name: 'On the status page' }), 'Closed');
  await user.click(dialog.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Group created')).toBeInTheDocument();
  expect(sent).toEqual([
    { method: 'POST', body: { name: 'Asia', description: '', display: 'CLOSED' } },
  ]);
  expect(await (await section()).findByText('Asia')).toBeInTheDocument();
});

/** Creates the group Asia with the component Zurich, which is in Europe. */
async function createWithZurich() {
  server.use(
    http.get(apiUrl(endpoints.componentOrder), () => {
      const others = [
        { id: 'g1', components: ['zurich'] },
        { id: null, components: ['website'] },
      ];
      return success({ groups: [{ id: 'g2', components: [] }, ...others] }, { etag: '"1"' });
    }),
  );
  const { user } = open();
  await section();
  await user.click(screen.getByRole('button', { name: 'New Group' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Create Group' }));
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Asia');
  const zurich = await dialog.findByRole('checkbox', { name: 'Zurich' });
  expect(zurich).toHaveAccessibleDescription('In Europe');
  await user.click(zurich);
  await user.click(dialog.getByRole('button', { name: 'Create' }));
}

it('moves components into a new group', async () => {
  let order: unknown;
  server.use(
    http.post(apiUrl(endpoints.componentOrder), async ({ request }) => {
      order = await request.json();
      return success(null);
    }),
  );
  await createWithZurich();
  expect(await screen.findByText('Group created')).toBeInTheDocument();
  expect(order).toEqual({
    groups: [
      { id: 'g2', components: ['zurich'] },
      { id: 'g1', components: [] },
      { id: null, components: ['website'] },
    ],
  });
});

it('creates a group once although its components could not be moved, and says so', async () => {
  server.use(http.post(apiUrl(endpoints.componentOrder), () => problem(403, 'No')));
  await createWithZurich();
  const failed = 'The components were not moved into the group';
  expect(await screen.findByText(failed)).toBeInTheDocument();
  expect(screen.getByText('Group created')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toHaveLength(1);
});

it('closes the dialog of a saved group before the list has been read again', async () => {
  const { user } = open();
  await section();
  await user.click(screen.getByRole('button', { name: 'New Group' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Create Group' }));
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Asia');
  server.use(
    http.get(apiUrl(endpoints.componentGroups.list), () => new Promise<never>(() => undefined)),
  );
  await user.click(dialog.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Group created')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('edits a group over the version that was read', async () => {
  const { user } = open();
  await user.click(await (await section()).findByRole('button', { name: 'Edit Europe' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Group' }));
  await user.type(await dialog.findByRole('textbox', { name: 'Description' }), 'Two regions');
  await user.click(dialog.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Group updated')).toBeInTheDocument();
  expect(sent[0]?.body).toMatchObject({ name: 'Europe', description: 'Two regions' });
});

it('says before a deletion that the components stay', async () => {
  const { user } = open();
  await user.click(await (await section()).findByRole('button', { name: 'Delete Europe' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete this group?' }));
  expect(question.getByText(/Its components stay, without a group/)).toBeInTheDocument();
  await user.click(question.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Group deleted')).toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Groups' })).not.toBeInTheDocument();
});

it('keeps the question before a deletion when a component changes', async () => {
  const live = (
    <RealtimeProvider>
      <Outlet />
    </RealtimeProvider>
  );
  const { user } = renderRoutes([{ element: live, children: componentRoutes }], {
    path: paths.components.list,
  });
  const groupsSection = await section();
  const row = (await groupsSection.findByText('Europe')).closest('tr');
  await act(() => FakeSocket.last.join());
  const button = groupsSection.getByRole('button', { name: 'Delete Europe' });
  await user.click(button);
  await screen.findByRole('alertdialog', { name: 'Delete this group?' });
  const zurich = component('Zurich', { groupId: 'g1', status: 'MAJOR_OUTAGE' });
  act(() => FakeSocket.last.fire('component-update', zurich));
  await waitFor(() => expect(row).toHaveTextContent('EuropeMajor Outage1Open'));
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Cancel' }));
  expect(button).toHaveFocus();
});

it('puts a component into a group', async () => {
  const { user } = renderRoutes(componentRoutes, { path: paths.components.edit('website') });
  const select = () => screen.getByRole('combobox', { name: 'Group' });
  await screen.findByRole('combobox', { name: 'Group' });
  await expect.poll(select).toBeEnabled();
  await screen.findByRole('option', { name: 'Europe' });
  await user.selectOptions(select(), 'Europe');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await expect.poll(() => sent[0]?.body).toMatchObject({ groupId: 'g1' });
});

/** Opens the form of a component in the group `groupId`. */
async function editGrouped(groupId: string) {
  const website = component('Website', { groupId });
  server.use(
    http.get(apiUrl(endpoints.components.item('website')), () => success(website, { etag: '"1"' })),
  );
  const rendered = renderRoutes(componentRoutes, { path: paths.components.edit('website') });
  await screen.findByDisplayValue('Website');
  return rendered;
}

it('keeps the group of a component when the groups could not be read', async () => {
  server.use(http.get(apiUrl(endpoints.componentGroups.list), () => problem(403, 'Not now')));
  const { user } = await editGrouped('g1');
  expect(await screen.findByText('The groups could not be loaded')).toBeInTheDocument();
  expect(screen.queryByRole('combobox', { name: 'Group' })).not.toBeInTheDocument();
  server.use(http.get(apiUrl(endpoints.componentGroups.list), () => success(groups)));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('combobox', { name: 'Group' })).toHaveDisplayValue('Europe');
});

it('shows no other group in place of a deleted one', async () => {
  await editGrouped('gone');
  const group = await screen.findByRole('combobox', { name: 'Group' });
  await waitFor(() => expect(group).toHaveDisplayValue('No longer available'));
});
