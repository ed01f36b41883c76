import { ClerkProvider, useClerk } from '@clerk/clerk-react';
import { type ComponentProps, type ReactNode, useMemo } from 'react';
import { useConfiguration } from '@/api/configuration';
import { AuthContext, type Navigate } from '@/auth/auth';
import { StartFailureScreen } from '@/auth/start-screens';
import { paths } from '@/paths';
import { addresses } from './sign-in-screen';
import { reauthenticate } from './reauthenticate';
import { tokensOf } from './tokens';
import { useAuthState } from './use-auth-state';

type Appearance = NonNullable<ComponentProps<typeof ClerkProvider>['appearance']>;

/**
 * Clerk's components in our colours. The values are our tokens themselves, so the components follow
 * the theme, and are dark inside `data-theme="dark"` (Clerk's docs: "Variables prop", "Use CSS
 * variables with Clerk").
 */
const appearance: Appearance = {
  variables: {
    colorBackground: 'var(--raised)',
    colorForeground: 'var(--ink)',
    colorMuted: 'var(--surface)',
    colorMutedForeground: 'var(--muted)',
    colorNeutral: 'var(--ink)',
    colorPrimary: 'var(--primary)',
    colorPrimaryForeground: 'var(--on-primary)',
    colorInput: 'var(--surface)',
    colorInputForeground: 'var(--ink)',
    colorBorder: 'var(--line-strong)',
    colorRing: 'var(--focus)',
    colorDanger: 'var(--major)',
    colorWarning: 'var(--degraded)',
    colorSuccess: 'var(--operational)',
    colorModalBackdrop: 'var(--scrim)',
    fontFamily: 'inherit',
    fontSize: '0.875rem',
    borderRadius: '0.375rem',
  },
};

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
      // The app's guards redirect signed-in users, to onboarding without an organisation.
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

/** Translates Clerk's state for the app. */
function Bridge({ children }: { children: ReactNode }) {
  const clerk = useClerk();
  const state = useAuthState();
  const actions = useMemo(
    () => ({
      getToken: tokensOf(clerk),
      reauthenticate: () => reauthenticate(clerk),
      // Clerk changes the name, and its components follow it.
      refresh: () => Promise.resolve(),
    }),
    [clerk],
  );
  const auth = useMemo(() => ({ state, ...actions }), [state, actions]);
  if (clerk.status === 'error') return <Failure message="Clerk cannot be reached." />;
  return <AuthContext value={auth}>{children}</AuthContext>;
}

/** Clerk's script can be loaded only once per page, so a retry reloads the page. */
function Failure({ message }: { message: string }) {
  return <StartFailureScreen message={message} onRetry={reload} />;
}

function reload(): void {
  window.location.reload();
}
