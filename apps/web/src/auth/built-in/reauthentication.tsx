import { useEffect, useState, useSyncExternalStore } from 'react';
import { object, string } from 'yup';
import { createApiClient, type Reauthenticate } from '@/api/client';
import { ApiError } from '@/api/error';
import { endpoints } from '@/paths';
import { Dialog } from '@/ui/dialog';
import { IdentityForm } from './form/identity-form';
import { TextField } from './form/text-field';
import { factorCode, givenPassword } from './form/validation';
import { PasskeyButton, useHasPasskeys } from './passkey/passkey-button';
import { OrDivider, ProviderList } from './provider-list';
import { openProvider } from './provider-window';
import type { Factors, SignInWays } from './types';

/** Requests of the server that the user authenticate again. Concurrent requests share one answer. */
export class Reauthentications {
  readonly #listeners = new Set<() => void>();
  #pending: { promise: Promise<boolean>; settle: (done: boolean) => void } | null = null;

  /** Whether the user is being asked. */
  readonly isPending = (): boolean => this.#pending !== null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly request: Reauthenticate = () => {
    if (this.#pending === null) {
      let settle: (done: boolean) => void = () => undefined;
      const promise = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      this.#pending = { promise, settle };
      this.#notify();
    }
    return this.#pending.promise;
  };

  readonly settle = (done: boolean): void => {
    this.#pending?.settle(done);
    this.#pending = null;
    this.#notify();
  };

  #notify(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

const api = createApiClient(() => Promise.resolve(null));

interface ReauthenticationDialogProps {
  requests: Reauthentications;
  /** For password managers. */
  email: string;
  ways: SignInWays;
}

/** Asks the user to authenticate before a sensitive change. What was typed below the dialog stays. */
export function ReauthenticationDialog({ requests, email, ways }: ReauthenticationDialogProps) {
  const open = useSyncExternalStore(requests.subscribe, requests.isPending);
  const { password, providers } = ways;
  return (
    <Dialog
      open={open}
      onOpenChange={() => requests.settle(false)}
      title="Confirm that it is you"
      description={`Some time has passed since you signed in. ${requestOf(ways)}`}
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
        <OwnPasskey
          isOnlyWay={!password && providers.length === 0}
          onDone={() => requests.settle(true)}
        />
      </div>
    </Dialog>
  );
}

function requestOf({ password, providers }: SignInWays): string {
  if (providers.length === 0) {
    return password
      ? 'Enter your password to make this change.'
      : 'Sign out and sign in again to make this change.';
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
      await api.post(endpoints.identity.reauthenticate, body);
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

/** Offers a passkey to a user who has one. It is below the form, which does not move when it appears. */
function OwnPasskey({ isOnlyWay, onDone }: OwnPasskeyProps) {
  const takesPasskey = useHasPasskeys();
  const [hasPasskey, setHasPasskey] = useState(false);
  useEffect(() => {
    if (!takesPasskey) return undefined;
    let isCurrent = true;
    api.get<Factors>(endpoints.identity.factors).then(
      ({ data }) => isCurrent && setHasPasskey(data.passkeys.length > 0),
      // The password is enough.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [takesPasskey]);
  if (!hasPasskey) return null;
  return (
    <div className="grid gap-3">
      {!isOnlyWay && <OrDivider />}
      <PasskeyButton purpose="reauthentication" onDone={onDone} />
    </div>
  );
}

function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && error.fieldErrors.some(({ field }) => field === 'code');
}
