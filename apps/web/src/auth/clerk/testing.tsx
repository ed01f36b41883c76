import { act, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { ConfigurationContext } from '@/api/configuration';
import { useAuth, type Auth } from '@/auth/auth';
import { configuration } from '@/testing/configuration';
import { Provider } from './provider';

interface FakeSession {
  id: string;
  status: 'active' | 'pending';
  user: object;
  currentTask?: { key: string };
  getToken: (options: { skipCache: boolean }) => Promise<string | null>;
}

interface Resources {
  client: object;
  session: FakeSession | null;
  user: object | null;
  organization: { id: string } | null;
}

const nobody: Resources = { client: {}, session: null, user: null, organization: null };

/**
 * What clerk-js puts on the page, as far as @clerk/clerk-react speaks to it
 * (packages/react/src/isomorphicClerk.ts in clerk/javascript): it finds one there and loads
 * no script.
 */
export class FakeClerk {
  loaded = false;
  status: 'loading' | 'ready' | 'error' = 'loading';
  client: object | undefined;
  session: FakeSession | null | undefined;
  user: object | null | undefined;
  organization: { id: string } | null | undefined;
  readonly signOut = vi.fn(() => Promise.resolve());
  options: Record<string, unknown> = {};
  readonly #listeners = new Set<(resources: Resources) => void>();

  load = (options: Record<string, unknown>): Promise<void> => {
    this.options = options;
    this.loaded = true;
    this.status = 'ready';
    this.become(nobody);
    return Promise.resolve();
  };

  readonly addListener = (listener: (resources: Resources) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly on = (_: string, listener: (status: string) => void, options?: { notify: boolean }) => {
    if (options?.notify) listener(this.status);
  };

  readonly off = (): void => undefined;

  readonly __internal_attemptToEnableEnvironmentSetting = (): void => undefined;

  become(resources: Partial<Resources>): void {
    const all = { ...nobody, ...resources };
    Object.assign(this, all);
    this.#listeners.forEach((listener) => listener(all));
  }
}

export const looms = { id: 'org_1', name: 'Looms' };
export const kilns = { id: 'org_2', name: 'Kilns' };

export const ada = {
  id: 'user_1',
  fullName: 'Ada Lovelace',
  username: null,
  primaryEmailAddress: { emailAddress: 'ada@example.com' },
  organizationMemberships: [
    { role: 'org:admin', organization: looms },
    { role: 'org:member', organization: kilns },
  ],
};

export const session = (more: Partial<FakeSession> = {}): FakeSession => ({
  id: 'sess_1',
  status: 'active',
  user: ada,
  getToken: () => Promise.resolve('test-token'),
  ...more,
});

const publishableKey = `pk_test_${btoa('able-loom-1.clerk.accounts.dev$')}`;

interface ProviderOptions {
  key?: string | null;
  children?: ReactNode;
}

/** Renders the provider around the state of the session. */
export async function renderProvider(
  clerk: FakeClerk,
  { key = publishableKey, children }: ProviderOptions = {},
) {
  vi.stubGlobal('Clerk', clerk);
  const seen: Auth[] = [];
  const navigate = vi.fn(() => Promise.resolve());

  function WhoIsThere() {
    const auth = useAuth();
    seen.push(auth);
    return <p data-testid="who">{JSON.stringify(auth.state)}</p>;
  }

  render(
    <ConfigurationContext value={{ ...configuration, clerkPublishableKey: key }}>
      <Provider navigate={navigate}>
        <WhoIsThere />
        {children}
      </Provider>
    </ConfigurationContext>,
  );
  await act(() => Promise.resolve());
  return {
    navigate,
    seen,
    auth: () => seen.at(-1),
    who: () => JSON.parse(screen.getByTestId('who').textContent) as unknown,
    become: (resources: Partial<Resources>) => act(() => clerk.become(resources)),
  };
}
