import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, problem, server, success } from '@/testing/server';
import { renderApp } from './testing';

/** Opens the list of these components, each of which is operational. */
async function open(...names: string[]) {
  const components = names.map((name) => component(name));
  const sent: string[] = [];
  const versions = new Map<string, number>();
  const etagOf = (id: string) => `"${String(versions.get(id) ?? 1)}"`;
  const find = (id: string) => components.find((candidate) => candidate.id === id);
  const change = (id: string, values: Partial<Component>) => {
    versions.set(id, (versions.get(id) ?? 1) + 1);
    return Object.assign(find(id) ?? {}, values);
  };
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success(components)),
    http.get<{ id: string }>(apiUrl('/component/:id'), ({ params: { id } }) =>
      success(find(id), { etag: etagOf(id) }),
    ),
    http.patch<{ id: string }>(apiUrl('/component/:id'), async ({ request, params: { id } }) => {
      const values = (await request.json()) as Partial<Component>;
      if (request.headers.get('If-Match') !== etagOf(id)) return problem(412, 'Outdated');
      sent.push(`${id} ${values.status ?? ''}`);
      return success(change(id, values));
    }),
  );
  const { user } = renderApp(paths.components.list);
  await screen.findByRole('button', {
    name: new RegExp(`^Change the status of ${names[0] ?? ''}`),
  });
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await act(() => FakeSocket.last.join());
  /** Another user changes the status of a component. */
  const changeElsewhere = (id: string, status: Component['status']) =>
    act(() => FakeSocket.last.fire('component-update', { ...change(id, { status }) }));
  return { user, sent, change, changeElsewhere };
}

const submit = () => screen.getByRole('button', { name: 'Change Status' });

it('saves no status over one that the user has not seen, until the user keeps it', async () => {
  const { user, sent, changeElsewhere } = await open('API', 'Shop');
  await user.click(screen.getByRole('button', { name: /^Change the status of API/ }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  await user.click(dialog.getByRole('radio', { name: 'Partial Outage' }));
  changeElsewhere('shop', 'DEGRADED');
  expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
  changeElsewhere('api', 'MAJOR_OUTAGE');
  const conflict = await dialog.findByRole('alert');
  expect(conflict).toHaveTextContent('This status has changed since you opened it');
  expect(within(conflict).getByRole('term')).toHaveTextContent('API');
  expect(within(conflict).getByRole('definition')).toHaveTextContent('Major Outage');
  await user.click(submit());
  expect(await screen.findByText('The status was not changed')).toBeInTheDocument();
  expect(sent).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Keep Mine' }));
  expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
  await user.click(submit());
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['api PARTIAL_OUTAGE']);
});

it('leaves a component as it is now if the user takes its new status', async () => {
  const { user, sent, changeElsewhere } = await open('API', 'Shop', 'Mail');
  for (const name of ['API', 'Shop']) {
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }));
  }
  await user.click(submit());
  const dialog = screen.getByRole('dialog', { name: 'Change the status of 2 components' });
  await user.click(within(dialog).getByRole('radio', { name: 'Partial Outage' }));
  changeElsewhere('api', 'MAJOR_OUTAGE');
  await user.click(await within(dialog).findByRole('button', { name: 'Use the New Version' }));
  expect(dialog).toHaveAccessibleName('Change the status of Shop');
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['shop PARTIAL_OUTAGE']);
});

it('closes if the user takes the new status of the only component', async () => {
  const { user, sent, changeElsewhere } = await open('API');
  await user.click(screen.getByRole('button', { name: /^Change the status of API/ }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  await user.click(dialog.getByRole('radio', { name: 'Partial Outage' }));
  changeElsewhere('api', 'MAJOR_OUTAGE');
  await user.click(await dialog.findByRole('button', { name: 'Use the New Version' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toEqual([]);
});

it('reads a component before it is changed, and saves over no status that no event has reported', async () => {
  const { user, sent, change } = await open('API', 'Shop');
  for (const name of ['API', 'Shop']) {
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }));
  }
  await user.click(submit());
  const dialog = screen.getByRole('dialog', { name: 'Change the status of 2 components' });
  await user.click(within(dialog).getByRole('radio', { name: 'Partial Outage' }));
  change('api', { status: 'MAJOR_OUTAGE' });
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('The status was not changed: API')).toBeInTheDocument();
  expect(sent).toEqual(['shop PARTIAL_OUTAGE']);
  const conflict = await within(dialog).findByRole('alert');
  expect(within(conflict).getByRole('definition')).toHaveTextContent('Major Outage');
  await user.click(within(conflict).getByRole('button', { name: 'Keep Mine' }));
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['shop PARTIAL_OUTAGE', 'api PARTIAL_OUTAGE']);
});

it('saves over a change of other fields that comes between', async () => {
  const { user, sent, change } = await open('API');
  await user.click(screen.getByRole('button', { name: /^Change the status of API/ }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  await user.click(dialog.getByRole('radio', { name: 'Partial Outage' }));
  let isChanged = false;
  server.use(
    http.patch(apiUrl(endpoints.components.item('api')), () => {
      if (isChanged) return undefined;
      isChanged = true;
      change('api', { description: 'For partners' });
      return problem(412, 'Outdated');
    }),
  );
  await user.click(submit());
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['api PARTIAL_OUTAGE']);
});
