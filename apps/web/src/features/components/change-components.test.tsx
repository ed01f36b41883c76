import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { renderRoutes } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { componentRoutes } from './routes';

/** Opens the list of these components. */
function open(components: Component[]) {
  server.use(http.get(apiUrl(endpoints.components.list), () => success(components)));
  return renderRoutes(componentRoutes, { path: paths.components.list });
}

async function select(user: UserEvent, ...names: string[]) {
  for (const name of names) {
    await user.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
  }
}

it('changes the status of one component, and of several at once', async () => {
  const components = [component('API'), component('Shop'), component('Mail')];
  let sent: string[] = [];
  const refused = new Set(['mail']);
  server.use(
    http.get<{ id: string }>(apiUrl('/component/:id'), ({ params: { id } }) =>
      success(
        components.find((candidate) => candidate.id === id),
        { etag: '"1"' },
      ),
    ),
    http.patch<{ id: string }>(apiUrl('/component/:id'), async ({ request, params: { id } }) => {
      const change = (await request.json()) as Partial<Component>;
      sent.push(`${id} ${JSON.stringify(change)}`);
      if (refused.has(id)) return problem(403, 'Not allowed');
      const changed = components.find((candidate) => candidate.id === id);
      if (changed) Object.assign(changed, change);
      return success(changed);
    }),
  );
  const { user } = open(components);
  await user.click(await screen.findByRole('button', { name: /^Change the status of API/ }));
  const one = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  expect(one.getByRole('radio', { name: 'Operational' })).toBeChecked();
  await user.click(one.getByRole('radio', { name: 'Major Outage' }));
  await user.click(one.getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['api {"status":"MAJOR_OUTAGE"}']);
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('button', { name: /^Change the status of API/ })).toHaveFocus();
  await waitFor(() =>
    expect(screen.getByText('API').closest('tr')).toHaveTextContent('Major Outage'),
  );

  sent = [];
  await select(user, 'API', 'Shop', 'Mail');
  await user.click(screen.getByRole('button', { name: 'Change Status' }));
  const dialog = screen.getByRole('dialog', { name: 'Change the status of 3 components' });
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await within(dialog).findByText('Select Any One')).toBeInTheDocument();
  await user.click(within(dialog).getByRole('radio', { name: 'Degraded Performance' }));
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('The status was not changed: Mail')).toBeInTheDocument();
  expect(within(dialog).getByRole('alert')).toHaveTextContent('Not allowed');
  expect(dialog).toHaveAccessibleName('Change the status of Mail');
  expect(sent).toHaveLength(3);

  sent = [];
  refused.clear();
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toEqual(['mail {"status":"DEGRADED"}']);
});

it('counts a component that another user has deleted as changed', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.item('api')), () => success(component('API'))),
    http.patch(apiUrl(endpoints.components.item('api')), () => success(component('API'))),
    http.get(apiUrl(endpoints.components.item('shop')), () => problem(404, 'Gone')),
  );
  const { user } = open([component('API'), component('Shop')]);
  await select(user, 'API', 'Shop');
  await user.click(screen.getByRole('button', { name: 'Change Status' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of 2 components' }));
  await user.click(dialog.getByRole('radio', { name: 'Degraded Performance' }));
  await user.click(dialog.getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

const europe = componentGroup('Europe', { id: 'g1' });
const order = {
  groups: [
    { id: 'g1', components: ['zurich'] },
    { id: null, components: ['api', 'shop', 'mail'] },
  ],
};

/** Opens the list of the components of `order`. */
function openGrouped() {
  server.use(
    http.get(apiUrl(endpoints.componentGroups.list), () => success([europe])),
    http.get(apiUrl(endpoints.componentOrder), () => success(order, { etag: '"7"' })),
  );
  const alone = ['API', 'Shop', 'Mail'].map((name) => component(name));
  return open([component('Zurich', { groupId: 'g1' }), ...alone]);
}

it('moves selected components to a group, in their order, while others change the order', async () => {
  const { user } = openGrouped();
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.componentOrder), async ({ request }) => {
      sent.push([request.headers.get('If-Match'), await request.json()]);
      return sent.length === 1 ? problem(412, 'Stale') : success(order);
    }),
  );
  await select(user, 'Mail', 'API');
  await user.click(await screen.findByRole('button', { name: 'Move to Group' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Move 2 components to a group' }));
  const group = dialog.getByRole('combobox', { name: 'Group' });
  expect(group).toHaveDisplayValue('No group');
  await user.selectOptions(group, 'Europe');
  await user.click(dialog.getByRole('button', { name: 'Move' }));
  expect(await screen.findByText('2 components moved')).toBeInTheDocument();
  const moved = {
    groups: [
      { id: 'g1', components: ['api', 'mail', 'zurich'] },
      { id: null, components: ['shop'] },
    ],
  };
  expect(sent).toEqual([
    ['"7"', moved],
    ['"7"', moved],
  ]);
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('asks for the group of components that have several', async () => {
  const { user } = openGrouped();
  await select(user, 'Zurich', 'API');
  await user.click(await screen.findByRole('button', { name: 'Move to Group' }));
  const dialog = within(screen.getByRole('dialog'));
  const group = dialog.getByRole('combobox', { name: 'Group' });
  expect(group).toHaveDisplayValue('Several groups');
  await user.click(dialog.getByRole('button', { name: 'Move' }));
  expect(await dialog.findByText('Select Any One')).toBeInTheDocument();
});

it('offers no move without groups', async () => {
  const { user } = open([component('API')]);
  await select(user, 'API');
  expect(screen.getByRole('button', { name: 'Change Status' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Move to Group' })).not.toBeInTheDocument();
});
