import { anonymousApi } from '@/api/anonymous-api';
import { endpoints } from '@/paths';
import { LoadFailure } from '@/ui/load-failure';
import { CodeForm } from './form/code-form';
import { PasskeyButton, useHasPasskeys } from './passkey/passkey-button';
import { OrDivider } from './provider-list';
import type { Factors } from './types';

interface FactorProofProps {
  /** The factors of the account, which has one. */
  factors: Factors;
  /** Called when the server has accepted the second factor. */
  onDone: () => Promise<void> | void;
}

/** Takes the second factor in a session that an identity provider has opened without one. */
export function FactorProof({ factors, onDone }: FactorProofProps) {
  const takesPasskey = useHasPasskeys() && factors.passkeys.length > 0;

  async function submit(values: { code: string }) {
    await anonymousApi.post(endpoints.identity.sessionFactor, values);
    await onDone();
  }

  return (
    <div className="grid gap-4">
      {takesPasskey && (
        <>
          <PasskeyButton purpose="reauthentication" onDone={onDone} />
          <OrDivider />
        </>
      )}
      <CodeForm
        hasApp={factors.totp !== null}
        submitLabel="Confirm"
        pendingLabel="Confirming..."
        onSubmit={submit}
      />
    </div>
  );
}

export function hasFactor({ totp, passkeys }: Factors): boolean {
  return totp !== null || passkeys.length > 0;
}

interface FactorsFailureProps {
  reason: string;
  onRetry: () => Promise<unknown>;
}

/** Replaces the second factors if they could not be loaded. */
export function FactorsFailure(props: FactorsFailureProps) {
  return <LoadFailure title="The second factors could not be loaded" {...props} />;
}
