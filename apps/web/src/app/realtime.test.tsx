import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Component } from '@/api/types';
import { hasLastSessionHint } from '@/auth/last-session-hint';
import { aDashboard } from '@/features/dashboard/fixtures';
import { endpoints, paths } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { success, apiUrl, problem, server, settled } from '@/testing/server';
import { renderApp, serveOverviews, signedIn, withoutOrganisation } from './testing';

const website: Component = {
  id: 'c1',
  name: 'Website',
  description: '',
  status: 'OPERATIONAL',
  underMaintenance: false,
  code: '0123456789ab',
  groupId: null,
  position: 1,
  showUptime: true,
  startDate: null,
  onlyShowWhenAffected: false,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
};

beforeEach(() => {
  serveOverviews();
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success([website])),
    http.get(apiUrl(endpoints.components.item('c1')), () => success(website, { etag: '"1"' })),
  );
});

const opened = () => expect.poll(() => FakeSocket.all.length).toBe(1);
const status = () => screen.getByText(/^Live updates:/);
const announced = () => screen.queryByText(/^Live updates are/, { selector: '[role=status]' });

describe('the socket', () => {
  it('is opened once, for a signed-in user with an organisation', async () => {
    const { router } = renderApp(paths.dashboard);
    await opened();
    await act(() => FakeSocket.last.join());
    expect(FakeSocket.last.payloads).toEqual([{ token: 'test-token' }]);
    await act(() => router.navigate(paths.metrics));
    expect(FakeSocket.all).toHaveLength(1);
    expect(FakeSocket.last.connected).toBe(true);
  });

  it.each([
    {
      who: 'a signed-out visitor',
      auth: { status: 'signed-out' } as const,
      path: paths.login,
      text: 'Sign in',
    },
    {
      who: 'a user without an organisation',
      auth: withoutOrganisation,
      path: paths.onboarding,
      text: 'Onboarding',
    },
    {
      who: 'a session that is still loading',
      auth: { status: 'loading' } as const,
      path: paths.login,
      text: 'Loading...',
    },
  ])('is not opened for $who', async ({ auth, path, text }) => {
    const { router } = renderApp(path, { auth });
    expect(await screen.findByText(text)).toBeInTheDocument();
    await waitFor(() => expect(router.state.initialized).toBe(true));
    // The app loads the package of the socket before it opens one.
    await import('socket.io-client');
    await settled();
    expect(FakeSocket.all).toEqual([]);
  });

  it('is disconnected when the user signs out', async () => {
    const { become } = renderApp(paths.dashboard);
    await opened();
    await act(() => FakeSocket.last.join());
    expect(hasLastSessionHint()).toBe(true);
    act(() => become({ status: 'signed-out' }));
    expect(FakeSocket.last.connected).toBe(false);
    expect(hasLastSessionHint()).toBe(false);
  });

  it('is another one in another organisation', async () => {
    const { become } = renderApp(paths.dashboard);
    await opened();
    const first = FakeSocket.last;
    await act(() => first.join());
    const organisation = { ...signedIn.organisation, id: 'org-2' };
    act(() => become({ ...signedIn, organisation }));
    await expect.poll(() => FakeSocket.all.length).toBe(2);
    expect(first.connected).toBe(false);
    await act(() => FakeSocket.last.accept());
    expect(FakeSocket.last.pending).toEqual([['join', 'org-2']]);
  });
});

describe('the frame', () => {
  it('says how the socket is, without ado', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    renderApp(paths.dashboard);
    await opened();
    expect(status()).toHaveTextContent('Live updates: connecting');
    await act(() => FakeSocket.last.join());
    expect(status()).toHaveTextContent('Live updates: connected');
    act(() => FakeSocket.last.lose());
    expect(status()).toHaveTextContent('Live updates: disconnected');
    expect(screen.queryByRole('button', { name: 'Reconnect' })).not.toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('announces a loss that lasts, and that it is over, but no shorter one', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    renderApp(paths.dashboard);
    await opened();
    await act(() => FakeSocket.last.join());
    vi.useFakeTimers();
    act(() => FakeSocket.last.lose());
    act(() => void vi.advanceTimersByTime(4999));
    await act(() => FakeSocket.last.join());
    act(() => void vi.advanceTimersByTime(60_000));
    expect(announced()).not.toBeInTheDocument();

    act(() => FakeSocket.last.lose());
    act(() => void vi.advanceTimersByTime(4999));
    expect(announced()).not.toBeInTheDocument();
    act(() => void vi.advanceTimersByTime(1));
    expect(announced()).toHaveTextContent('Live updates are interrupted');
    await act(() => FakeSocket.last.join());
    expect(announced()).toHaveTextContent('Live updates are back');

    act(() => FakeSocket.last.lose());
    expect(announced()).not.toBeInTheDocument();
    vi.useRealTimers();
  });

  it('says since when lists may be old after the last attempt, and offers to reconnect', async () => {
    const { user } = renderApp(paths.dashboard);
    await opened();
    await act(() => FakeSocket.last.join());
    act(() => FakeSocket.last.lose());
    expect(screen.queryByText(/^Not live since/)).not.toBeInTheDocument();
    act(() => FakeSocket.last.io.fire('reconnect_failed'));
    expect(status()).toHaveTextContent('Live updates: could not reconnect');
    const bar = within(screen.getByRole('main')).getByText(/^Not live since/);
    expect(bar).toHaveTextContent(/^Not live since \d\d:\d\d [AP]M\. Lists may be out of date\.$/);
    await user.click(screen.getByRole('button', { name: 'Reconnect' }));
    expect(await screen.findByRole('button', { name: 'Reconnecting...' })).toBeDisabled();
    expect(status()).toHaveTextContent('Live updates: could not reconnect');
    await act(() => FakeSocket.last.join());
    expect(status()).toHaveTextContent('Live updates: connected');
    expect(bar).not.toBeInTheDocument();
    expect(document.body).not.toHaveFocus();
  });
});

describe('a screen', () => {
  it('retries a list that cannot be read in one series, also when the socket joins meanwhile', async () => {
    let asked = 0;
    server.use(
      http.get(apiUrl(endpoints.components.list), () => {
        asked += 1;
        return problem(503, 'Try again later');
      }),
    );
    renderApp(paths.components.list);
    await expect.poll(() => asked).toBe(1);
    await act(() => FakeSocket.last.join());
    expect(
      await screen.findByRole('button', { name: 'Try Again' }, { timeout: 20_000 }),
    ).toBeVisible();
    expect(asked).toBe(4);
  });

  it('takes over an update of another operator, and keeps what was typed', async () => {
    const incident = {
      id: 'i1',
      title: 'Payments fail',
      description: 'Cards are declined.',
      status: 'INVESTIGATING',
      occuredAt: '2026-11-20T09:00:00.000Z',
      resolvedAt: null,
      createdAt: '2026-11-20T09:05:00.000Z',
    };
    let now = incident;
    server.use(
      http.get(apiUrl(endpoints.incidents.item('i1')), () => success(now, { etag: now.status })),
      http.get(apiUrl(endpoints.incidents.updates('i1')), () => success([])),
    );
    const { user } = renderApp(paths.incidents.edit('i1'));
    await expect.poll(() => screen.queryByLabelText(/^Title/)).toHaveValue('Payments fail');
    await act(() => FakeSocket.last.join());
    await user.type(screen.getByLabelText(/^Title/), ' often');
    expect(screen.getByRole('button', { name: 'Record Update' })).toBeEnabled();
    now = { ...incident, status: 'RESOLVED' };
    act(() => FakeSocket.last.fire('incident-updated', { ...now, components: [] }));
    await expect.poll(() => screen.getByRole('radio', { name: 'Resolved' })).toBeChecked();
    expect(screen.getByLabelText(/^Title/)).toHaveValue('Payments fail often');
    expect(screen.getByRole('button', { name: 'Record Update' })).toBeDisabled();
  });
});

it('reads the dashboard again after events, at most every two seconds', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = vi.fn();
  server.use(
    http.get(apiUrl(endpoints.dashboard), () => {
      asked();
      return success(aDashboard());
    }),
  );
  renderApp(paths.dashboard);
  await screen.findByRole('region', { name: /^Open incidents/ });
  await opened();
  await act(() => FakeSocket.last.join());
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  act(() => {
    for (let event = 0; event < 20; event += 1) FakeSocket.last.fire('component-deleted', 'x');
  });
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(3));
  await act(() => vi.advanceTimersByTimeAsync(2100));
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(4));
  vi.useRealTimers();
});
