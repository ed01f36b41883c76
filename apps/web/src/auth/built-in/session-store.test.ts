import { renderHook } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server, hold } from '@/testing/server';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { SessionStore } from './session-store';
import { ada, engines, looms, serveSession, sessionOf } from './testing';

const stops: (() => void)[] = [];

afterEach(() => {
  stops.splice(0).forEach((stop) => stop());
});

/** A tab. */
async function open(): Promise<SessionStore> {
  const store = new SessionStore();
  stops.push(store.start());
  await expect.poll(() => store.getSnapshot().status).not.toBe('loading');
  return store;
}

/** Serves tokens that name their organisation. */
function serveTokens(backend: ReturnType<typeof serveSession>): void {
  server.use(
    http.post(apiUrl(endpoints.identity.token), async ({ request }) => {
      if (backend.session === null) return problem(401, 'Please sign in');
      const { organisationId } = (await request.json()) as { organisationId: string };
      const expiresAt = new Date(Date.now() + 300_000).toISOString();
      return success({ token: `token of ${organisationId}`, expiresAt });
    }),
  );
}

/** A tab in the first organisation with a request that waits because the session has ended. */
async function waitAfterTheEnd() {
  const backend = serveSession(sessionOf({ organisations: [looms, engines] }));
  serveTokens(backend);
  const store = await open();
  backend.session = null;
  const token = store.getToken();
  await expect.poll(() => store.getSnapshot()).toMatchObject({ hasEnded: true });
  return { backend, store, token };
}

/** A new session: the server does not know in which organisation the user worked. */
const newSession = sessionOf({ organisations: [looms, engines], activeOrganisationId: null });

const grace = { ...ada, id: 'user-2', name: 'Grace Hopper', email: 'grace@example.com' };

function organisationOf(store: SessionStore): string | undefined {
  const state = store.getSnapshot();
  return state.status === 'signed-in' ? state.organisation?.name : state.status;
}

it('works where the session worked last, or else the user in this browser', async () => {
  const backend = serveSession(sessionOf({ organisations: [looms, engines] }));
  expect(organisationOf(await open())).toBe('Analytical Engines');
  backend.session = newSession;
  expect(organisationOf(await open())).toBe('Analytical Engines');
  backend.session = { ...newSession, user: grace };
  expect(organisationOf(await open())).toBe('Looms');
});

it('works in the newest organisation of a user whom this browser does not know', async () => {
  const backend = serveSession(newSession);
  expect(organisationOf(await open())).toBe('Looms');
  backend.session = sessionOf({ organisations: [], activeOrganisationId: null });
  expect(organisationOf(await open())).toBeUndefined();
});

it('asks for a token of the organisation it works in', async () => {
  serveSession(sessionOf());
  const asked: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.identity.token), async ({ request }) => {
      asked.push(await request.json());
      return success({ token: 'one', expiresAt: new Date(Date.now() + 300_000).toISOString() });
    }),
  );
  const store = await open();
  expect(await Promise.all([store.getToken(), store.getToken()])).toEqual(['one', 'one']);
  expect(asked).toEqual([{ organisationId: 'org-1' }]);
});

it('gives no token to a signed-out visitor, without a request', async () => {
  server.use(http.get(apiUrl(endpoints.identity.session), () => success(null)));
  expect(await (await open()).getToken()).toBeNull();
});

it('waits for the session before it says that there is no token', async () => {
  serveSession(sessionOf());
  const store = new SessionStore();
  stops.push(store.start());
  expect(await store.getToken()).toBe('test-token');
});

it('leaves no trace of the token in the storage of the browser', async () => {
  serveSession(sessionOf());
  await (await open()).getToken();
  expect(JSON.stringify(localStorage)).not.toContain('test-token');
  expect(sessionStorage).toHaveLength(0);
});

it('keeps the screen once its session has ended on the server, until the user leaves', async () => {
  const backend = serveSession(sessionOf());
  const store = await open();
  backend.session = null;
  const token = store.getToken();
  await expect.poll(() => store.getSnapshot()).toMatchObject({ hasEnded: true });
  expect(organisationOf(store)).toBe('Analytical Engines');
  store.leave();
  expect(await token).toBeNull();
  expect(store.getSnapshot().status).toBe('signed-out');
});

it('goes on with every request that waits once the user has signed in again, in any tab', async () => {
  const backend = serveSession(sessionOf());
  const [here, there] = [await open(), await open()];
  backend.session = null;
  const tokens = [here.getToken(), here.getToken(), there.getToken()];
  for (const store of [here, there]) {
    await expect.poll(() => store.getSnapshot()).toMatchObject({ hasEnded: true });
  }
  backend.session = sessionOf();
  await there.refresh();
  expect(await Promise.all(tokens)).toEqual(['test-token', 'test-token', 'test-token']);
  expect(here.getSnapshot()).toMatchObject({ status: 'signed-in', hasEnded: false });
});

it('stays in its organisation when its user signs in again', async () => {
  const { backend, store, token } = await waitAfterTheEnd();
  backend.session = newSession;
  await store.refresh();
  expect(organisationOf(store)).toBe('Analytical Engines');
  expect(await token).toBe('token of org-1');
});

it('stays in its organisation when its user signs in again in a new tab', async () => {
  const { backend, store, token } = await waitAfterTheEnd();
  // The new tab is to begin in another organisation.
  localStorage.clear();
  const there = await open();
  backend.session = newSession;
  await there.refresh();
  expect(organisationOf(there)).toBe('Looms');
  expect(await token).toBe('token of org-1');
  expect(organisationOf(store)).toBe('Analytical Engines');
});

it('refuses a waiting request when another user signs in', async () => {
  const { backend, store, token } = await waitAfterTheEnd();
  const refused = expect(token).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  const there = await open();
  backend.session = sessionOf({ user: grace, organisations: [engines] });
  await there.refresh();
  await refused;
  expect(store.getSnapshot()).toMatchObject({ user: grace });
  expect(await store.getToken()).toBe('token of org-1');
});

it('refuses a waiting request when its user is no longer a member', async () => {
  const { backend, store, token } = await waitAfterTheEnd();
  const refused = expect(token).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
  await store.refresh();
  await refused;
  expect(organisationOf(store)).toBe('Looms');
});

it('refuses a request that waits while its user goes to another organisation', async () => {
  const backend = serveSession(sessionOf({ organisations: [engines, looms] }));
  serveTokens(backend);
  const store = await open();
  let respond: () => void = () => undefined;
  const isReading = new Promise<void>((reading) => {
    server.use(
      http.get(
        apiUrl(endpoints.identity.session),
        async () => {
          await new Promise<void>((resolve) => {
            respond = resolve;
            reading();
          });
          return success(backend.session);
        },
        { once: true },
      ),
    );
  });
  const changed = store.refresh(looms.id);
  await isReading;
  const refused = expect(store.getToken()).rejects.toMatchObject({ status: 401 });
  respond();
  await changed;
  await refused;
  expect(await store.getToken()).toBe('token of org-2');
});

it('keeps the session when a token cannot be had for now', async () => {
  serveSession(sessionOf());
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(503, 'Unavailable')));
  const store = await open();
  await expect(store.getToken()).rejects.toThrow('Unavailable');
  expect(organisationOf(store)).toBe('Analytical Engines');
});

it('goes to another organisation when it is no longer a member of this one', async () => {
  const backend = serveSession(sessionOf({ organisations: [looms, engines] }));
  const store = await open();
  backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
  server.use(
    http.post(apiUrl(endpoints.identity.token), () => problem(403, 'Not a member'), { once: true }),
  );
  await expect(store.getToken()).rejects.toThrow('Not a member');
  expect(organisationOf(store)).toBe('Looms');
});

it('stays with what was typed when it is no longer a member, until that is given up', async () => {
  const backend = serveSession(sessionOf({ organisations: [looms, engines] }));
  const store = await open();
  const form = renderHook(() => useUnsavedChanges(true));
  backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(403, 'Not a member')));
  await expect(store.getToken()).rejects.toThrow('Not a member');
  expect(organisationOf(store)).toBe('Analytical Engines');
  form.unmount();
  await expect(store.getToken()).rejects.toThrow('Not a member');
  expect(organisationOf(store)).toBe('Looms');
});

it('says why it could not begin, and begins when tried again', async () => {
  server.use(http.get(apiUrl(endpoints.identity.session), () => problem(403, 'Forbidden')));
  const store = await open();
  expect(store.getSnapshot()).toEqual({ status: 'failed', message: 'Forbidden' });
  serveSession(sessionOf());
  store.retry();
  await expect.poll(() => organisationOf(store)).toBe('Analytical Engines');
});

it('makes the server remember the organisation that it goes to work in', async () => {
  const backend = serveSession(sessionOf());
  const store = await open();
  backend.session = sessionOf({ organisations: [looms, engines] });
  const asked: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.identity.token), async ({ request }) => {
      asked.push(await request.json());
      return success({ token: 'two', expiresAt: new Date(Date.now() + 300_000).toISOString() });
    }),
  );
  await store.refresh('org-2');
  expect(organisationOf(store)).toBe('Looms');
  expect(asked).toEqual([{ organisationId: 'org-2' }]);
});

it('takes every tab along into another organisation, out and in again', async () => {
  const backend = serveSession(sessionOf({ organisations: [engines, looms] }));
  const [here, there] = [await open(), await open()];

  await here.switchTo('org-2');
  expect(organisationOf(here)).toBe('Looms');
  await expect.poll(() => organisationOf(there)).toBe('Looms');

  server.use(http.post(apiUrl(endpoints.identity.signOut), () => success({ providerUrl: null })));
  await there.signOut();
  expect(organisationOf(there)).toBe('signed-out');
  await expect.poll(() => organisationOf(here)).toBe('signed-out');

  backend.session = sessionOf();
  await here.refresh();
  await expect.poll(() => organisationOf(there)).toBe('Analytical Engines');
});

it('stays in its organisation with unsaved changes when another tab goes to another one', async () => {
  const backend = serveSession(sessionOf({ organisations: [engines, looms] }));
  serveTokens(backend);
  const [here, there] = [await open(), await open()];
  renderHook(() => useUnsavedChanges(true));
  const mills = { id: 'org-3', name: 'Mills', role: 'admin' } as const;
  backend.session = sessionOf({
    organisations: [mills, engines, looms],
    activeOrganisationId: looms.id,
  });

  await there.switchTo(looms.id);
  await expect
    .poll(() => here.getSnapshot())
    .toMatchObject({ organisations: [mills, engines, looms] });
  expect(organisationOf(here)).toBe('Analytical Engines');
  expect(await here.getToken()).toBe('token of org-1');
});

it('stays in its organisation when text is typed after another tab has gone to another one', async () => {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  const [here, there] = [await open(), await open()];
  const { held, release } = hold();
  const session = apiUrl(endpoints.identity.session);
  let reads = 0;
  server.use(
    http.get(session, async () => {
      reads += 1;
      // The first one is of the tab that goes.
      if (reads > 1) await held;
      return success(
        sessionOf({ organisations: [engines, looms], activeOrganisationId: looms.id }),
      );
    }),
  );
  await there.switchTo(looms.id);
  // A page of another test may read it, too.
  await expect.poll(() => reads).toBeGreaterThanOrEqual(2);
  renderHook(() => useUnsavedChanges(true));
  const read = vi.fn();
  here.subscribe(read);
  release();
  await expect.poll(() => read).toHaveBeenCalled();
  expect(organisationOf(here)).toBe('Analytical Engines');
});

it.each(['this tab', 'another tab'])(
  'stays signed out by %s when an earlier reading of the session ends later',
  async (where) => {
    const backend = serveSession(sessionOf());
    const store = await open();
    const other = await open();
    const { held, release } = hold();
    server.use(
      http.get(
        apiUrl(endpoints.identity.session),
        async () => {
          await held;
          return success(sessionOf());
        },
        { once: true },
      ),
      http.post(apiUrl(endpoints.identity.signOut), () => success({ providerUrl: null })),
    );
    const refreshed = store.refresh();
    backend.session = null;
    await (where === 'this tab' ? store : other).signOut();
    await expect.poll(() => organisationOf(store)).toBe('signed-out');
    release();
    await refreshed;
    expect(organisationOf(store)).toBe('signed-out');
  },
);

it('keeps typed text when another tab signs out, until the user has signed in again', async () => {
  const backend = serveSession(sessionOf());
  const [here, there] = [await open(), await open()];
  renderHook(() => useUnsavedChanges(true));
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => success({ providerUrl: null })));
  backend.session = null;
  await there.signOut();
  await expect.poll(() => here.getSnapshot()).toMatchObject({ hasEnded: true });
  const token = here.getToken();
  backend.session = sessionOf();
  await there.refresh();
  expect(await token).toBe('test-token');
  expect(here.getSnapshot()).toMatchObject({ hasEnded: false });
});

it('keeps typed text when a reading for another tab finds no session', async () => {
  const backend = serveSession(sessionOf());
  const here = await open();
  renderHook(() => useUnsavedChanges(true));
  backend.session = null;
  const channel = new BroadcastChannel('allclear:session');
  channel.postMessage({ kind: 'changed', organisationId: null });
  await expect.poll(() => here.getSnapshot()).toMatchObject({ hasEnded: true });
  const read = vi.fn();
  here.subscribe(read);
  channel.postMessage({ kind: 'authenticated' });
  await expect.poll(() => read).toHaveBeenCalled();
  expect(here.getSnapshot()).toMatchObject({ hasEnded: true });
  channel.close();
});

it('leaves for the sign-out of a provider without a second question', async () => {
  serveSession(sessionOf());
  const store = await open();
  renderHook(() => useUnsavedChanges(true));
  const assign = vi.fn();
  const { href, origin } = window.location;
  vi.stubGlobal('location', { href, origin, assign });
  server.use(
    http.post(apiUrl(endpoints.identity.signOut), () =>
      success({ providerUrl: 'https://okta.example/logout' }),
    ),
  );
  await store.signOut();
  const closing = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(closing);
  expect(closing.defaultPrevented).toBe(false);
  expect(assign).toHaveBeenCalledWith('https://okta.example/logout');
});

it('reads the session again when the server is unavailable for a moment', async () => {
  serveSession(sessionOf());
  server.use(
    http.get(apiUrl(endpoints.identity.session), () => problem(503, 'Unavailable'), { once: true }),
  );
  const store = new SessionStore();
  stops.push(store.start());
  await expect.poll(() => organisationOf(store)).toBe('Analytical Engines');
});

it('works without the other tabs when the browser keeps no data of the site', async () => {
  const refuse = vi.fn(function () {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  vi.stubGlobal('BroadcastChannel', refuse);
  serveSession(sessionOf({ organisations: [engines, looms] }));
  const store = await open();
  expect(refuse).toHaveBeenCalled();
  await store.switchTo(looms.id);
  expect(organisationOf(store)).toBe('Looms');
});

it('does not report a sign-out that the server has not received', async () => {
  serveSession(sessionOf());
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => problem(503, 'Unavailable')));
  const store = await open();
  await expect(store.signOut()).rejects.toThrow('Unavailable');
  expect(store.getSnapshot().status).toBe('signed-in');
});

it('stays in its organisation when that cannot be left for another', async () => {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(403, 'Not a member')));
  const store = await open();
  await expect(store.switchTo('org-2')).rejects.toThrow('Not a member');
  expect(organisationOf(store)).toBe('Analytical Engines');
});

it('reads the session once more after changes within ten seconds', async () => {
  const renamed = (name: string) => sessionOf({ organisations: [{ ...engines, name }] });
  const backend = serveSession(renamed('Engines'));
  const store = await open();
  vi.useFakeTimers();
  backend.session = renamed('Engine');
  store.onOutdated();
  await expect.poll(() => organisationOf(store)).toBe('Engine');
  backend.session = renamed('Engines & Looms');
  store.onOutdated();
  store.onOutdated();
  vi.advanceTimersByTime(10_000);
  await expect.poll(() => organisationOf(store)).toBe('Engines & Looms');
  vi.useRealTimers();
});
