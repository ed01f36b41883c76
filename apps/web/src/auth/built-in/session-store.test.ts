import { http } from 'msw';
import { afterEach, expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { SessionStore } from './session-store';
import { engines, looms, serveSession, sessionOf } from './testing';

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

function organisationOf(store: SessionStore): string | undefined {
  const state = store.getSnapshot();
  return state.status === 'signed-in' ? state.organisation?.name : state.status;
}

it('works where the session worked last, or else in the newest organisation', async () => {
  const backend = serveSession(sessionOf({ organisations: [looms, engines] }));
  expect(organisationOf(await open())).toBe('Analytical Engines');
  backend.session = sessionOf({ organisations: [looms, engines], activeOrganisationId: null });
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
  expect(localStorage).toHaveLength(0);
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

it('keeps the session when a token cannot be had for now', async () => {
  serveSession(sessionOf());
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(503, 'Away')));
  const store = await open();
  await expect(store.getToken()).rejects.toThrow('Away');
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

it('says why it could not begin, and begins when tried again', async () => {
  server.use(
    http.get(apiUrl(endpoints.identity.session), () => problem(503, 'Away'), { once: true }),
  );
  const store = await open();
  expect(store.getSnapshot()).toEqual({ status: 'failed', message: 'Away' });
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

it('does not report a sign-out that the server has not received', async () => {
  serveSession(sessionOf());
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => problem(503, 'Away')));
  const store = await open();
  await expect(store.signOut()).rejects.toThrow('Away');
  expect(store.getSnapshot().status).toBe('signed-in');
});

it('stays in its organisation when that cannot be left for another', async () => {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(403, 'Not a member')));
  const store = await open();
  await expect(store.switchTo('org-2')).rejects.toThrow('Not a member');
  expect(organisationOf(store)).toBe('Analytical Engines');
});
