import { ClerkAPIResponseError } from '@clerk/shared/error';
import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { ada, FakeClerk, kilns, looms, renderProvider, session } from './testing';

const user = { id: 'user_1', name: 'Ada Lovelace', email: 'ada@example.com' };

it('has no user before Clerk has one, and then that user', async () => {
  const clerk = new FakeClerk();
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  const load = clerk.load;
  clerk.load = (options) => promise.then(() => load(options));
  const { who, become } = await renderProvider(clerk);
  expect(who()).toEqual({ status: 'loading' });
  resolve();
  // Clerk notifies its listeners once more after loading.
  await expect.poll(() => (become({}), who())).toEqual({ status: 'signed-out' });
  become({ session: session(), user: ada });
  expect(who()).toEqual({ status: 'signed-in', user, organisation: null });
});

it('names the organisation that is worked in, and what the person is in it', async () => {
  const { who, become } = await renderProvider(new FakeClerk());
  become({ session: session(), user: ada, organization: looms });
  expect(who()).toMatchObject({ organisation: { ...looms, role: 'admin' } });
  become({ session: session(), user: ada, organization: kilns });
  expect(who()).toMatchObject({ organisation: { ...kilns, role: 'editor' } });
  become({});
  expect(who()).toEqual({ status: 'signed-out' });
});

it('says nothing new when Clerk does not', async () => {
  const { seen, become } = await renderProvider(new FakeClerk());
  become({ session: session(), user: ada, organization: looms });
  const before = seen.at(-1);
  become({ session: session(), user: { ...ada }, organization: looms });
  expect(seen.at(-1)?.state).toBe(before?.state);
  expect(seen.at(-1)?.getToken).toBe(before?.getToken);
});

it.each([
  ['choose-organization', { status: 'signed-in', user, organisation: null }],
  ['setup-mfa', { status: 'signed-out' }],
])('takes a session that waits for %s for what it is', async (key, state) => {
  const { who, become } = await renderProvider(new FakeClerk());
  become({ session: session({ status: 'pending', currentTask: { key } }), user: ada });
  expect(who()).toEqual(state);
});

it('fetches the token for each request, and a fresh one after a refusal', async () => {
  const { auth, become } = await renderProvider(new FakeClerk());
  expect(await auth()?.getToken()).toBeNull();
  const getToken = vi.fn(({ skipCache }) => Promise.resolve(skipCache ? 'fresh' : 'cached'));
  become({ session: session({ getToken }), user: ada });
  expect(await auth()?.getToken()).toBe('cached');
  expect(await auth()?.getToken({ skipCache: true })).toBe('fresh');
  expect(getToken).toHaveBeenCalledTimes(2);
});

it('has no token for a session that has ended, and says when Clerk cannot be asked', async () => {
  const { auth, become } = await renderProvider(new FakeClerk());
  const ended = new ClerkAPIResponseError('Signed out', { data: [], status: 401 });
  become({ session: session({ getToken: () => Promise.reject(ended) }), user: ada });
  expect(await auth()?.getToken()).toBeNull();
  const failure = new TypeError('Failed to fetch');
  become({ session: session({ getToken: () => Promise.reject(failure) }), user: ada });
  await expect(auth()?.getToken()).rejects.toThrow(ApiError);
});

it('gives up on a token that does not come', async () => {
  const { auth, become } = await renderProvider(new FakeClerk());
  become({ session: session({ getToken: () => new Promise(() => undefined) }), user: ada });
  vi.useFakeTimers();
  const refused = expect(auth()?.getToken()).rejects.toThrow('The server cannot be reached');
  await vi.advanceTimersByTimeAsync(15_000);
  vi.useRealTimers();
  await refused;
});

it('links to the product’s own screens by its own router, without Clerk', async () => {
  const clerk = new FakeClerk();
  const { navigate } = await renderProvider(clerk);
  expect(clerk.options).toMatchObject({
    signInUrl: '/login',
    waitlistUrl: '/login?waitlist',
    signInForceRedirectUrl: '/dashboard',
    signUpForceRedirectUrl: '/dashboard',
    taskUrls: { 'choose-organization': '/onboarding' },
    afterSignOutUrl: '/',
    telemetry: false,
  });
  const go = clerk.options as Record<'routerPush' | 'routerReplace', (to: string) => void>;
  go.routerPush('/dashboard');
  go.routerReplace('/login#/factor-one');
  expect(navigate.mock.calls).toEqual([
    ['/dashboard', { replace: false }],
    ['/login#/factor-one', { replace: true }],
  ]);
});

it('says so when Clerk cannot be loaded', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const clerk = new FakeClerk();
  clerk.load = () => Promise.reject(new Error('Failed to load Clerk'));
  await renderProvider(clerk);
  expect(await screen.findByRole('alert')).toHaveTextContent('Clerk cannot be reached.');
  expect(screen.getByRole('button', { name: 'Try Again' })).toBeVisible();
});

it('says so when the server does not name the application', async () => {
  await renderProvider(new FakeClerk(), { key: null });
  expect(screen.getByRole('alert')).toHaveTextContent('which Clerk application');
});
