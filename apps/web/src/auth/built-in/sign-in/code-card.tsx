import { anonymousApi } from '@/api/anonymous-api';
import { CodeForm } from '@/auth/built-in/form/code-form';
import { PasskeyButton, useHasPasskeys } from '@/auth/built-in/passkey/passkey-button';
import { OrDivider } from '@/auth/built-in/provider-list';
import type { AwaitedFactors } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { AuthCard, TextButton } from './auth-card';

interface CodeCardProps {
  awaited: AwaitedFactors;
  /** Called when the server has accepted the second factor. */
  onSignedIn: () => Promise<void>;
  /** Called when the user goes back to the password. */
  onCancel: () => void;
}

/** The second step of a sign-in. */
export function CodeCard({ awaited, onSignedIn, onCancel }: CodeCardProps) {
  const takesPasskey = useHasPasskeys() && awaited.passkey;
  return (
    <AuthCard
      title={takesPasskey ? 'Use your second factor' : 'Enter your code'}
      description={
        takesPasskey
          ? 'Your password alone is not enough for your account.'
          : 'Your account has a second factor.'
      }
      footer={<TextButton onClick={onCancel}>Back to sign in</TextButton>}
    >
      <SecondStep awaited={awaited} onSignedIn={onSignedIn} />
    </AuthCard>
  );
}

/** Takes a second factor after the password. */
export function SecondStep({ awaited, onSignedIn }: Omit<CodeCardProps, 'onCancel'>) {
  const takesPasskey = useHasPasskeys() && awaited.passkey;

  async function submit(values: { code: string }) {
    await anonymousApi.post(endpoints.identity.signInCode, values);
    await onSignedIn();
  }

  return (
    <>
      {takesPasskey && (
        <div className="grid gap-3">
          <PasskeyButton purpose="afterPassword" onDone={onSignedIn} />
          <OrDivider />
        </div>
      )}
      <CodeForm
        hasApp={awaited.authenticatorApp}
        submitLabel="Sign in"
        pendingLabel="Signing in..."
        onSubmit={submit}
      />
    </>
  );
}
