import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { Subscriber } from '@/api/types';
import { endpoints } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { parts, subscriber } from './fixtures';
import { linkRoutes } from './link-routes';

const link = { subscriberId: 's-1', orgId: 'org-1', manageCode: 'c0de' };
const slack = subscriber('s-1', {
  channel: 'slack',
  email: null,
  target: 'https://hooks.slack.com/…wxyz',
});

function open(read: Subscriber = slack, query = new URLSearchParams(link)) {
  const asked: unknown[] = [];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => success(parts)),
    http.post(apiUrl(endpoints.subscribers.subscription), async ({ request }) => {
      asked.push(await request.json());
      return success(read);
    }),
  );
  const routes = [...linkRoutes, { path: '/', element: <h1>Home</h1> }];
  const path = `/subscription?${query.toString()}`;
  return { asked, ...renderRoutes(routes, { path, auth: { status: 'signed-out' } }) };
}

const toasts = () => within(screen.getByRole('region', { name: /Notifications/ }));

it('shows a subscription and saves what it receives', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.patch(apiUrl(endpoints.subscribers.subscription), async ({ request }) => {
      bodies.push(await request.json());
      return success({ ...slack, scope: 'COMPONENTS', groups: ['eu'], muteMaintenances: true });
    }),
  );
  const { asked, user } = open();
  expect(screen.getByRole('heading', { name: 'Manage Subscription' })).toBeInTheDocument();
  expect(await screen.findByText('https://hooks.slack.com/…wxyz')).toBeInTheDocument();
  expect(asked).toEqual([link]);
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  await user.click(screen.getByRole('checkbox', { name: 'All of Europe' }));
  await user.click(screen.getByRole('checkbox', { name: 'Mute maintenance' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await toasts().findByText('Subscription updated')).toBeInTheDocument();
  expect(bodies).toEqual([{ ...link, components: null, groups: ['eu'], muteMaintenances: true }]);
});

it('takes no other choice while a subscription is being saved', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.patch(apiUrl(endpoints.subscribers.subscription), async () => {
      await finished;
      return success({ ...slack, muteMaintenances: true });
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole('checkbox', { name: 'Mute maintenance' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('button', { name: 'Saving...' });
  await user.click(screen.getByRole('checkbox', { name: 'Mute maintenance' }));
  await user.click(screen.getByRole('radio', { name: 'Chosen components' }));
  expect(screen.getByRole('checkbox', { name: 'Mute maintenance' })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'Everything' })).toBeChecked();
  finish();
  expect(await toasts().findByText('Subscription updated')).toBeInTheDocument();
});

it('unsubscribes after a question only', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.unsubscribe), async ({ request }) => {
      bodies.push(await request.json());
      return success(null);
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Unsubscribe' }));
  const question = within(await screen.findByRole('alertdialog'));
  expect(bodies).toEqual([]);
  await user.click(question.getByRole('button', { name: 'Unsubscribe' }));
  expect(
    await screen.findByRole('heading', { name: 'Successfully Unsubscribed' }),
  ).toBeInTheDocument();
  expect(bodies).toEqual([link]);
});

it('says that the code is wrong', async () => {
  const { user } = open();
  server.use(
    http.post(
      apiUrl(endpoints.subscribers.subscription),
      () => problem(400, 'The link is not valid'),
      { once: true },
    ),
  );
  expect(await screen.findByText('The link is not valid')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('https://hooks.slack.com/…wxyz')).toBeInTheDocument();
});

it('shows a follower of one incident no choice', async () => {
  open({ ...slack, scope: 'INCIDENT', incidentId: 'i-1' });
  expect(await screen.findByText('One incident')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Unsubscribe' })).toBeInTheDocument();
});

it('leads home without a code', async () => {
  const { router } = renderRoutes([...linkRoutes, { path: '/', element: <h1>Home</h1> }], {
    path: '/subscription?subscriberId=s-1&orgId=org-1',
    auth: { status: 'signed-out' },
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
});
