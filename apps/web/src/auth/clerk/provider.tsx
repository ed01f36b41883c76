import { ClerkProvider, useClerk } from '@clerk/clerk-react';
import { useMemo, type ReactNode } from 'react';
import { useConfiguration } from '@/api/configuration';
import { AuthContext, type Navigate } from '@/auth/auth';
import { StartFailureScreen } from '@/auth/start-screens';
import { paths } from '@/paths';
import { appearance } from './appearance';
import { addresses } from './addresses';
import { tokensOf } from './tokens';
import { useAuthState } from './use-auth-state';

interface ProviderProps {
  navigate: Navigate;
  children: ReactNode;
}

export function Provider({ navigate, children }: ProviderProps) {
  const { clerkPublishableKey } = useConfiguration();
  if (clerkPublishableKey === null) {
    return <Failure message="The server does not say which Clerk application it belongs to." />;
  }
  return (
    <ClerkProvider
      publishableKey={clerkPublishableKey}
      appearance={appearance}
      telemetry={false}
      signInUrl={paths.login}
      waitlistUrl={addresses.waitlist}
      // Who is signed in is led on by the app's own guards, to onboarding where there is no organisation.
      signInForceRedirectUrl={paths.dashboard}
      signUpForceRedirectUrl={paths.dashboard}
      taskUrls={{ 'choose-organization': paths.onboarding }}
      afterSignOutUrl={paths.landing}
      routerPush={(to) => navigate(to, { replace: false })}
      routerReplace={(to) => navigate(to, { replace: true })}
    >
      <Bridge>{children}</Bridge>
    </ClerkProvider>
  );
}

/** What Clerk knows, as the app knows it. */
function Bridge({ children }: { children: ReactNode }) {
  const clerk = useClerk();
  const state = useAuthState();
  const actions = useMemo(
    () => ({ getToken: tokensOf(clerk), signOut: () => clerk.signOut() }),
    [clerk],
  );
  const auth = useMemo(() => ({ state, ...actions }), [state, actions]);
  if (clerk.status === 'error') return <Failure message="Clerk cannot be reached." />;
  return <AuthContext value={auth}>{children}</AuthContext>;
}

/** Clerk's script is loaded once in a page's life: another attempt is another page. */
function Failure({ message }: { message: string }) {
  return <StartFailureScreen message={message} onRetry={reload} />;
}

function reload(): void {
  window.location.reload();
}
