import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { anonymousApi } from '@/api/anonymous-api';
import { useConfiguration } from '@/api/configuration';
import { failureText } from '@/auth/built-in/form/failure-text';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { usePending } from '@/ui/use-pending';
import { hasPasskeys, requestPasskey } from './authenticator';

/** The calls that ask for a passkey. */
const purposes = {
  signIn: {
    begin: endpoints.identity.signInPasskey.options,
    body: {},
    finish: endpoints.identity.signInPasskey.response,
  },
  afterPassword: {
    begin: endpoints.identity.signInPasskey.options,
    body: { afterPassword: true },
    finish: endpoints.identity.signInPasskey.response,
  },
  reauthentication: {
    begin: endpoints.identity.reauthenticatePasskey.options,
    body: {},
    finish: endpoints.identity.reauthenticatePasskey.response,
  },
} as const;

interface PasskeyButtonProps {
  purpose: keyof typeof purposes;
  /** Called when the server has accepted the passkey. */
  onDone: () => Promise<void> | void;
}

/** Whether passkeys can be used here. */
export function useHasPasskeys(): boolean {
  const { passkeys } = useConfiguration();
  return passkeys && hasPasskeys();
}

/** Authenticates with a passkey. Shows nothing where passkeys cannot be used. */
export function PasskeyButton({ purpose, onDone }: PasskeyButtonProps) {
  const [pending, run] = usePending();
  const [failure, setFailure] = useState<string | null>(null);
  const { begin, body, finish } = purposes[purpose];
  if (!useHasPasskeys()) return null;

  async function authenticate() {
    setFailure(null);
    try {
      const options = await anonymousApi.post<PublicKeyCredentialRequestOptionsJSON>(begin, body);
      const response: AuthenticationResponseJSON = await requestPasskey(options.data);
      await anonymousApi.post(finish, { response });
      await onDone();
    } catch (error) {
      setFailure(failureText(error));
    }
  }

  return (
    <div className="grid gap-3">
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <Button size="lg" pending={pending} onClick={() => run(authenticate)}>
        {!pending && <KeyRound aria-hidden />}
        Use a passkey
      </Button>
    </div>
  );
}
