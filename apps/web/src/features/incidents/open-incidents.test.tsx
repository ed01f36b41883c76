import { act, screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { Outlet } from 'react-router-dom';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { FakeSocket } from '@/testing/fake-socket';
import { renderRoutes } from '@/testing/render';
import { apiUrl, server, success } from '@/testing/server';
import { anIncident } from './fixtures';
import type { Incident } from './incident';
import { incidentRoutes } from './routes';

const { incidents } = endpoints;

const title = () => screen.getByRole('textbox', { name: /^Title/ });
const openedJustNow = /was opened just now\. Record an update there instead\?$/;

/** Opens the form of a new incident with a connection. `list` is that of the server. */
async function open(...list: Incident[]) {
  server.use(http.get(apiUrl(incidents.list), () => success(list)));
  const live = (
    <RealtimeProvider>
      <Outlet />
    </RealtimeProvider>
  );
  const rendered = renderRoutes([{ element: live, children: incidentRoutes }], {
    path: paths.incidents.create,
  });
  await screen.findByRole('textbox', { name: /^Title/ });
  await act(() => FakeSocket.last.join());
  return rendered;
}

/** Another user opens an incident. */
function openElsewhere() {
  const created = anIncident({ title: 'Checkout is down', createdAt: '2999-01-01T00:00:00.000Z' });
  act(() => FakeSocket.last.fire('new-incident', created));
}

it('names the open incidents above the form of a new one, with links', async () => {
  const resolved = anIncident({ id: 'over', title: 'Mail fails', status: 'RESOLVED' });
  const many = [1, 2, 3, 4, 5, 6].map((id) => anIncident({ id: `${id}`, title: `Failure ${id}` }));
  await open(resolved, ...many);
  expect(await screen.findByText(/^Open incidents:/)).toHaveTextContent(
    'Open incidents: Failure 1, Failure 2, Failure 3, Failure 4, Failure 5 and 1 more',
  );
  expect(screen.getByRole('link', { name: 'Failure 1' })).toHaveAttribute(
    'href',
    '/incidents/incident/edit/1',
  );
  expect(screen.queryByText(openedJustNow)).not.toBeInTheDocument();
});

it('says which incident another user opens meanwhile, and keeps what was typed', async () => {
  const { user } = await open();
  await user.type(title(), 'Checkout fails');
  expect(screen.queryByText(/^Open incidents:/)).not.toBeInTheDocument();
  openElsewhere();
  const link = await screen.findByRole('link', { name: 'Open this incident' });
  expect(link).toHaveAttribute('href', '/incidents/incident/edit/incident-1');
  expect(link.closest('[role=status]')).toHaveTextContent(
    '“Checkout is down” was opened just now. Record an update there instead?',
  );
  expect(title()).toHaveValue('Checkout fails');
});

it('does not take its own incident for one of another user', async () => {
  const { user } = await open();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.post(apiUrl(incidents.create), async () => {
      await finished;
      return success({}, { status: 201 });
    }),
  );
  await user.type(title(), 'Checkout is down');
  await user.type(screen.getByRole('textbox', { name: /^Description/ }), 'Payments are refused.');
  await user.click(screen.getByRole('button', { name: 'Create Incident' }));
  await screen.findByRole('button', { name: 'Creating...' });
  openElsewhere();
  expect(await screen.findByRole('link', { name: 'Checkout is down' })).toBeInTheDocument();
  expect(screen.queryByText(openedJustNow)).not.toBeInTheDocument();
  finish();
  await screen.findByText('Incident Created');
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible(),
  );
});
