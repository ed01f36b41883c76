import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, server, success } from '@/testing/server';
import { renderApp } from './testing';

/** Opens the list of these components, each of which is operational. */
async function open(...names: string[]) {
  const components = names.map((name) => component(name));
  const sent: string[] = [];
  const change = (id: string, values: Partial<Component>) =>
    Object.assign(components.find((candidate) => candidate.id === id) ?? {}, values);
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success(components)),
    http.patch<{ id: string }>(apiUrl('/component/:id'), async ({ request, params: { id } }) => {
      const values = (await request.json()) as Partial<Component>;
      sent.push(`${id} ${values.status ?? ''}`);
      return success(change(id, values));
    }),
  );
  const { user } = renderApp(paths.components.list);
  await screen.findByRole('button', { name: `Change the status of ${names[0] ?? ''}` });
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await act(() => FakeSocket.last.join());
  /** Another user changes the status of a component. */
  const changeElsewhere = (id: string, status: Component['status']) =>
    act(() => FakeSocket.last.fire('component-update', { ...change(id, { status }) }));
  return { user, sent, changeElsewhere };
}

const submit = () => screen.getByRole('button', { name: 'Change Status' });

it('saves no status over one that the user has not seen, until the user keeps it', async () => {
  const { user, sent, changeElsewhere } = await open('API', 'Shop');
  await user.click(screen.getByRole('button', { name: 'Change the status of API' }));
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
  await user.click(dialog.getByRole('button', { name: 'Keep mine' }));
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
  await user.click(await within(dialog).findByRole('button', { name: 'Use the new version' }));
  expect(dialog).toHaveAccessibleName('Change the status of Shop');
  await user.click(within(dialog).getByRole('button', { name: 'Change Status' }));
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(sent).toEqual(['shop PARTIAL_OUTAGE']);
});

it('closes if the user takes the new status of the only component', async () => {
  const { user, sent, changeElsewhere } = await open('API');
  await user.click(screen.getByRole('button', { name: 'Change the status of API' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change the status of API' }));
  await user.click(dialog.getByRole('radio', { name: 'Partial Outage' }));
  changeElsewhere('api', 'MAJOR_OUTAGE');
  await user.click(await dialog.findByRole('button', { name: 'Use the new version' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toEqual([]);
});
