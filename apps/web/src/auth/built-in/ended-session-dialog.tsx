import { useState } from 'react';
import { object } from 'yup';
import { anonymousApi } from '@/api/anonymous-api';
import { endpoints, paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { Dialog } from '@/ui/dialog';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { IdentityForm } from './form/identity-form';
import { TextField } from './form/text-field';
import { givenPassword } from './form/validation';
import { PasskeyButton, useHasPasskeys } from './passkey/passkey-button';
import { OrDivider, ProviderList } from './provider-list';
import { openProvider } from './provider-window';
import { useSession, useSignedIn } from './session-context';
import type { SignedIn } from './session-store';
import { TextButton } from './sign-in/auth-card';
import { SecondStep } from './sign-in/code-card';
import type { SignInResponse } from './sign-in/sign-in-card';
import type { AwaitedFactors } from './types';

const schema = object({ password: givenPassword });

/**
 * Asks a user whose session has ended to sign in again, over the screen with what the user
 * has typed.
 */
export function EndedSessionDialog() {
  const session = useSignedIn();
  return session?.hasEnded && <OpenDialog session={session} />;
}

function OpenDialog({ session }: { session: SignedIn }) {
  const { refresh, leave: signOut } = useSession();
  const { leave, question } = useConfirmLeave();
  const takesPasskey = useHasPasskeys();
  const [awaited, setAwaited] = useState<AwaitedFactors | null>(null);
  const { email } = session.user;
  const { password, providers } = session.ways;

  async function signIn({ password }: { password: string }) {
    const { data } = await anonymousApi.post<SignInResponse>(endpoints.identity.signIn, {
      email,
      password,
    });
    if (data.secondFactor) setAwaited(data);
    else await refresh();
  }

  return (
    <Dialog
      open
      title="Your session has ended"
      description={`Sign in again as ${email}. What you have typed is kept.`}
    >
      {providers.length > 0 && awaited === null && (
        <ProviderList
          providers={providers}
          onChoose={(id) => openProvider(endpoints.identity.provider(id).start)}
        />
      )}
      {providers.length > 0 && (password || takesPasskey) && awaited === null && <OrDivider />}
      {awaited === null && takesPasskey && (
        <>
          <PasskeyButton purpose="signIn" onDone={refresh} />
          {password && <OrDivider />}
        </>
      )}
      {awaited !== null && (
        <>
          <SecondStep
            awaited={awaited}
            onSignedIn={() => {
              setAwaited(null);
              return refresh();
            }}
          />
          <div className="grid justify-items-center">
            <TextButton onClick={() => setAwaited(null)}>Back to password</TextButton>
          </div>
        </>
      )}
      {password && awaited === null && (
        <IdentityForm
          initialValues={{ password: '' }}
          schema={schema}
          onSubmit={signIn}
          submitLabel="Sign in"
          pendingLabel="Signing in..."
        >
          {/* For password managers: which password to fill in. */}
          <input
            type="text"
            name="username"
            autoComplete="username"
            value={email}
            readOnly
            hidden
          />
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
          />
        </IdentityForm>
      )}
      <div className="flex flex-wrap justify-between gap-2">
        {/* The other tab's sign-in ends this dialog. */}
        <a
          href={paths.login}
          target="_blank"
          rel="noreferrer"
          className={buttonVariants({ variant: 'ghost' })}
        >
          Sign in another way in a new tab
        </a>
        <Button variant="ghost" onClick={() => leave(signOut)}>
          Sign out
        </Button>
      </div>
      {question}
    </Dialog>
  );
}
