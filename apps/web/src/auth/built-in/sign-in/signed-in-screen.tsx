import { useEffect } from 'react';
import { useSession } from '@/auth/built-in/session-context';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { AuthCard } from './auth-card';
import { useProviderFailure } from './provider-failure';

/**
 * The end of a sign-in or an authentication in a window of its own. Notifies the other windows, and
 * closes this one.
 */
export function SignedInScreen() {
  const { announceAuthentication } = useSession();
  const failure = useProviderFailure();
  useEffect(() => {
    if (failure !== null) return;
    announceAuthentication();
    window.close();
  }, [failure, announceAuthentication]);

  if (failure === null) {
    // Some browsers close only windows that never left the site.
    return (
      <AuthCard title="You are signed in" description="You can close this window and go on." />
    );
  }
  return (
    <AuthCard title="That did not work">
      <Alert kind="error">{failure}</Alert>
      <p className="text-muted">Close this window and try again in the one before.</p>
      <Button onClick={() => window.close()}>Close</Button>
    </AuthCard>
  );
}
