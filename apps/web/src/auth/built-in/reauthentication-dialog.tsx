import { useEffect, useState, useSyncExternalStore } from 'react';
import { object, string } from 'yup';
import { anonymousApi } from '@/api/anonymous-api';
import { ApiError } from '@/api/error';
import { endpoints } from '@/paths';
import { Dialog } from '@/ui/dialog';
import { Spinner } from '@/ui/spinner';
import { FactorProof, FactorsFailure, hasFactor } from './factor-proof';
import { IdentityForm } from './form/identity-form';
import { TextField } from './form/text-field';
import { factorCode, givenPassword } from './form/validation';
import { PasskeyButton, useHasPasskeys } from './passkey/passkey-button';
import { OrDivider, ProviderList } from './provider-list';
import { openProvider } from './provider-window';
import type { Reauthentications } from './reauthentications';
import { useSession } from './session-context';
import type { SignInWays } from './types';
import { useOwnFactors } from './use-own-factors';

interface ReauthenticationDialogProps {
  requests: Reauthentications;
  /** For password managers. */
  email: string;
  ways: SignInWays;
}

/**
 * Asks the user to authenticate before a sensitive change. What was typed below the dialog stays.
 */
export function ReauthenticationDialog({ requests, email, ways }: ReauthenticationDialogProps) {
  const needed = useSyncExternalStore(requests.subscribe, requests.needed);
  const takesPasskey = useHasPasskeys();
  const { password, providers } = ways;
  if (needed === 'second-factor') return <FactorDialog requests={requests} />;
  return (
    <Dialog
      open={needed !== null}
      onOpenChange={() => requests.settle(false)}
      title="Confirm that it is you"
      description={`Some time has passed since you signed in. ${requestOf(ways, takesPasskey)}`}
    >
      <div className="grid gap-4">
        {providers.length > 0 && (
          <ProviderList
            providers={providers}
            onChoose={(id) => openProvider(endpoints.identity.provider(id).reauthenticate)}
          />
        )}
        {providers.length > 0 && password && <OrDivider />}
        {password && <ReauthenticationForm email={email} onDone={() => requests.settle(true)} />}
        {takesPasskey && (
          <OwnPasskey
            isOnlyWay={!password && providers.length === 0}
            onDone={() => requests.settle(true)}
          />
        )}
      </div>
    </Dialog>
  );
}

/**
 * Asks for the second factor, before a change of the factors or for an organisation that
 * requires one.
 */
function FactorDialog({ requests }: { requests: Reauthentications }) {
  const { refresh } = useSession();
  const { factors, failure, retry } = useOwnFactors();
  const hasNone = factors !== undefined && !hasFactor(factors);

  useEffect(() => {
    if (!hasNone) return;
    // The repeated request needs a new token, without which the user is asked to add a factor.
    void refresh().then(() => requests.settle(true));
  }, [hasNone, refresh, requests]);

  if (hasNone || (factors === undefined && failure === undefined)) return null;
  return (
    <Dialog
      open
      onOpenChange={() => requests.settle(false)}
      title="Confirm your second factor"
      description="This needs a second factor that was used since the sign-in."
    >
      {factors && <FactorProof factors={factors} onDone={() => requests.settle(true)} />}
      {failure !== undefined && <FactorsFailure reason={failure} onRetry={retry} />}
    </Dialog>
  );
}

const signInAgain = 'Sign out and sign in again to make this change.';

function requestOf({ password, providers }: SignInWays, takesPasskey: boolean): string {
  if (providers.length === 0) {
    if (password) return 'Enter your password to make this change.';
    // Whether the user has a passkey is known later, and said below.
    return takesPasskey ? '' : signInAgain;
  }
  const signIn = 'sign in again in a window of its own';
  return password ? `Enter your password, or ${signIn}.` : `To make this change, ${signIn}.`;
}

const withoutCode = object({ password: givenPassword, code: string().default('') });
const withCode = object({ password: givenPassword, code: factorCode });

/** Asks for a code as well once the server says that the account has a second factor. */
function ReauthenticationForm({ email, onDone }: { email: string; onDone: () => void }) {
  const [asksCode, setAsksCode] = useState(false);

  async function confirm({ password, code }: { password: string; code: string }) {
    const body = asksCode ? { password, code } : { password };
    try {
      await anonymousApi.post(endpoints.identity.reauthenticate, body);
    } catch (error) {
      if (asksCode || !isAboutCode(error)) throw error;
      setAsksCode(true);
      return;
    }
    onDone();
  }

  return (
    <IdentityForm
      initialValues={{ password: '', code: '' }}
      schema={asksCode ? withCode : withoutCode}
      onSubmit={confirm}
      submitLabel="Confirm"
      pendingLabel="Confirming..."
      layout="end"
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
      {asksCode && (
        <TextField
          name="code"
          label="Code"
          autoComplete="one-time-code"
          description="Six digits of your authenticator app, or a recovery code."
        />
      )}
    </IdentityForm>
  );
}

interface OwnPasskeyProps {
  isOnlyWay: boolean;
  onDone: () => void;
}

/**
 * Offers a passkey to a user who has one. It is below the form, which does not move
 * when it appears.
 */
function OwnPasskey({ isOnlyWay, onDone }: OwnPasskeyProps) {
  const { factors, failure, retry } = useOwnFactors();
  if (factors !== undefined && factors.passkeys.length > 0) {
    return (
      <div className="grid gap-3">
        {isOnlyWay ? <p>Use your passkey to make this change.</p> : <OrDivider />}
        <PasskeyButton purpose="reauthentication" onDone={onDone} />
      </div>
    );
  }
  // The other ways are offered above.
  if (!isOnlyWay) return null;
  if (failure !== undefined) return <FactorsFailure reason={failure} onRetry={retry} />;
  return factors === undefined ? <Spinner label="Loading..." /> : <p>{signInAgain}</p>;
}

function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && error.fieldErrors.some(({ field }) => field === 'code');
}
