import { act, screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { aMaintenance } from '@/features/maintenances/fixtures';
import { endpoints, paths } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, problem, server, success } from '@/testing/server';
import { renderApp } from './testing';

const { maintenances } = endpoints;
const item = apiUrl(maintenances.item('maintenance-1'));
const list = apiUrl(maintenances.list);

const message = () => screen.getByRole('textbox', { name: /Message/ });

/** Opens the dialog of a new update of a maintenance, and types a message into it. */
async function typeUpdate() {
  server.use(
    http.get(list, () => success([aMaintenance()])),
    http.get(item, () => success(aMaintenance())),
  );
  const { user } = renderApp(paths.schedules.list);
  await user.click(await screen.findByRole('button', { name: 'Actions for Database upgrade' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Record Update' }));
  await user.type(await screen.findByRole('textbox', { name: /Message/ }), 'We begin.');
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await act(() => FakeSocket.last.join());
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  expect(dialog).toHaveAccessibleDescription('Database upgrade Now: Scheduled');
  return dialog;
}

it('shows in the dialog of a new update that the maintenance has begun meanwhile', async () => {
  const dialog = await typeUpdate();
  const begun = aMaintenance({ status: 'IN_PROGRESS' });
  server.use(http.get(item, () => success(begun)));
  act(() => FakeSocket.last.fire('maintenance-updated', { ...begun, timeline: [] }));
  await expect.poll(() => dialog).toHaveAccessibleDescription('Database upgrade Now: In Progress');
  expect(message()).toHaveValue('We begin.');
});

it('says in the dialog of a new update that the maintenance was deleted meanwhile', async () => {
  await typeUpdate();
  server.use(
    http.get(list, () => success([])),
    http.get(item, () => problem(404, 'There is no such maintenance')),
  );
  act(() => FakeSocket.last.fire('maintenance-deleted', 'maintenance-1'));
  expect(
    await screen.findByText('This maintenance was deleted since you opened it'),
  ).toBeInTheDocument();
  expect(message()).toHaveValue('We begin.');
});
