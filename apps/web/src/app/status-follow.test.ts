import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasLastSessionHint, storeLastSessionHint } from '@/auth/last-session-hint';
import { FakeEventSource } from '@/features/status-page/fake-event-source';
import { followLater } from '@/features/status-page/follow-later';
import { endpoints } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { success, apiUrl, hold, server } from '@/testing/server';
import { chooseFollow } from './status-follow';

const person = { id: 'user-1', name: 'Ada', email: 'ada@example.com', administrator: false };
const organisation = { id: 'org-1', name: 'Analytical Engines', role: 'admin' };

function serve(session: object | null) {
  server.use(
    http.get(apiUrl(endpoints.configuration), () => success({ identityProvider: 'built-in' })),
    http.get(apiUrl(endpoints.identity.session), () => success(session)),
    http.post(apiUrl(endpoints.identity.token), () => success({ token: 't', expiresAt: 'later' })),
  );
}

beforeEach(() => storeLastSessionHint(true));

/** Expects that the chosen way opens an event stream, and no socket. */
async function followsEventStream() {
  FakeEventSource.install();
  const follow = await chooseFollow();
  const listener = { onEvent: vi.fn(), onState: vi.fn(), onConnected: vi.fn() };
  onTestFinished(follow('org-1', 7, listener));
  expect(FakeEventSource.all).toHaveLength(1);
  expect(FakeSocket.all).toHaveLength(0);
}

it('announces a loss of the connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  serve(null);
  document.body.innerHTML = '<p class="live">Reconnecting</p><div role="log"></div>';
  await followsEventStream();
  FakeEventSource.last.break();
  vi.advanceTimersByTime(5000);
  expect(document.querySelector('[role=log]')).toHaveTextContent('Reconnecting');
});

it('is the socket, with the user’s token, for a signed-in user with an organisation', async () => {
  serve({ user: person, organisations: [organisation], activeOrganisationId: 'org-1' });
  const follow = await chooseFollow();
  const connected = vi.fn();
  const stop = follow('org-1', 7, { onEvent: vi.fn(), onState: vi.fn(), onConnected: connected });
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await FakeSocket.last.join(7);
  expect(FakeSocket.last.payloads).toEqual([{ token: 't' }]);
  expect(connected).toHaveBeenLastCalledWith(true);
  stop();
  expect(FakeSocket.last.connected).toBe(false);
});

it.each([
  { who: 'who is signed out by now', session: null },
  {
    who: 'who has no organisation',
    session: { user: person, organisations: [], activeOrganisationId: null },
  },
])('is the event stream for $who, and is not asked about again', async ({ session }) => {
  serve(session);
  await followsEventStream();
  expect(hasLastSessionHint()).toBe(false);
});

it('is the event stream for a visitor not signed in to Clerk', async () => {
  server.use(
    http.get(apiUrl(endpoints.configuration), () =>
      success({ identityProvider: 'clerk', clerkPublishableKey: 'pk_test_Y2xlcmsuZXhhbXBsZSQ' }),
    ),
  );
  await followsEventStream();
});

it('is the event stream, and stays so, if the session is not known after five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  FakeEventSource.install();
  serve(null);
  const { held, release } = hold();
  server.use(
    http.get(apiUrl(endpoints.identity.session), async () => {
      await held;
      return success(null);
    }),
  );
  const listener = { onEvent: vi.fn(), onState: vi.fn(), onConnected: vi.fn() };
  onTestFinished(followLater(chooseFollow)('org-1', 7, listener));
  await vi.advanceTimersByTimeAsync(5000);
  expect(FakeEventSource.all.map(({ url }) => url)).toEqual([
    '/api/v1/status/org-1/events?since=7',
  ]);
  release();
  await expect.poll(hasLastSessionHint).toBe(false);
  expect(FakeEventSource.all).toHaveLength(1);
});

describe('the event stream takes over from the socket', () => {
  const signedIn = { user: person, organisations: [organisation], activeOrganisationId: 'org-1' };

  const rejectTokens = (status: number, type: string) =>
    server.use(
      http.post(apiUrl(endpoints.identity.token), () =>
        HttpResponse.json({ type, message: 'No token' }, { status }),
      ),
    );

  /** Follows the page, which no dialog for signing in belongs to. */
  async function followSignedIn() {
    FakeEventSource.install();
    const follow = await chooseFollow();
    const onConnected = vi.fn();
    const stop = follow('org-1', 7, { onEvent: vi.fn(), onState: vi.fn(), onConnected });
    onTestFinished(stop);
    return onConnected;
  }

  it('when the session ends', async () => {
    serve(signedIn);
    const connected = await followSignedIn();
    await expect.poll(() => FakeSocket.all.length).toBe(1);
    await FakeSocket.last.join(7);
    rejectTokens(401, 'about:blank');
    FakeSocket.last.revoke();
    await expect.poll(() => FakeEventSource.all.length).toBe(1);
    FakeEventSource.last.open();
    expect(connected).toHaveBeenLastCalledWith(true);
  });

  it('when the organisation requires a second factor that the session has not used', async () => {
    serve(signedIn);
    rejectTokens(403, '/problems/second-factor-required');
    const connected = await followSignedIn();
    await expect.poll(() => FakeEventSource.all.length).toBe(1);
    FakeEventSource.last.open();
    expect(connected).toHaveBeenLastCalledWith(true);
  });
});
