import { afterEach, expect, it, vi } from 'vitest';
import { configuration } from '@/testing/configuration';
import { FakeClerk, looms, session, ada } from './testing';
import { mayBeSignedIn, loadSession } from './load-session';

const clerkConfiguration = {
  ...configuration,
  identityProvider: 'clerk',
  clerkPublishableKey: `pk_test_${btoa('able-loom-1.clerk.accounts.dev$')}`,
} as const;

const setCookie = (value: string) => (document.cookie = `__client_uat=${value}; path=/`);

afterEach(() => {
  document.cookie = '__client_uat=; path=/; max-age=0';
});

it.each([
  ['', false],
  ['sidebar:state=false', false],
  ['__client_uat=0', false],
  ['__client_uat=0; __client_uat_B7d4PD11=0', false],
  ['not__client_uat=1732200000', false],
  ['__client_uat=1732200000', true],
  ['sidebar:state=true; __client_uat_B7d4-_11=1732200000', true],
])('takes the cookies “%s” for a signed-in user: %s', (cookies, expected) => {
  expect(mayBeSignedIn(cookies)).toBe(expected);
});

it('does not load Clerk for an anonymous visitor', async () => {
  setCookie('0');
  expect(await loadSession(clerkConfiguration)).toBeNull();
  expect(document.querySelector('script')).toBeNull();
});

it('has the tokens of a signed-in user with an organisation', async () => {
  setCookie('1732200000');
  const clerk = new FakeClerk();
  vi.stubGlobal('Clerk', clerk);
  const load = clerk.load;
  clerk.load = async (options) => {
    await load(options);
    clerk.become({ session: session(), user: ada, organization: looms });
  };
  const visitor = await loadSession(clerkConfiguration);
  expect(await visitor?.getToken()).toBe('test-token');
  clerk.become({});
  expect(await visitor?.getToken()).toBeNull();
});

it('is null without an organisation', async () => {
  setCookie('1732200000');
  const clerk = new FakeClerk();
  vi.stubGlobal('Clerk', clerk);
  const load = clerk.load;
  clerk.load = async (options) => {
    await load(options);
    clerk.become({ session: session(), user: ada });
  };
  expect(await loadSession(clerkConfiguration)).toBeNull();
});
