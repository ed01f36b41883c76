import { useState } from 'react';
import { useConfiguration } from '@/api/configuration';
import { useSession } from '@/auth/built-in/session-context';
import { Alert } from '@/ui/alert';
import { ForgotCard } from './forgot-card';
import { InvitationCard } from './invitation-card';
import { NewPasswordCard } from './new-password-card';
import { SignInCard } from './sign-in-card';
import { SignUpCard } from './sign-up-card';
import { signUpWays, type SignUpWay } from './sign-up-ways';
import { TextButton } from './text-button';

type View = 'sign-in' | 'sign-up' | 'forgot';

/** The page at /login: what a mailed link asks for, or signing in and the ways to it. */
export function SignInScreen() {
  const { links } = useSession();
  const way = useSignUpWay();
  const [view, setView] = useState<View>(way === signUpWays.first ? 'sign-up' : 'sign-in');
  const [passwordChanged, setPasswordChanged] = useState(false);

  const show = (next: View) => {
    links.dismiss();
    setPasswordChanged(false);
    setView(next);
  };
  const toSignIn = (
    <p>
      Already have an account? <TextButton onClick={() => show('sign-in')}>Sign in</TextButton>
    </p>
  );
  const back = <TextButton onClick={() => show('sign-in')}>Back to sign in</TextButton>;

  if (links.link !== null) {
    const { kind, token } = links.link;
    if (kind === 'invitation') return <InvitationCard token={token} footer={back} />;
    const onChanged = () => {
      show('sign-in');
      setPasswordChanged(true);
    };
    return <NewPasswordCard token={token} footer={back} onChanged={onChanged} />;
  }
  if (view === 'forgot') return <ForgotCard footer={back} />;
  if (view === 'sign-up' && way !== null) return <SignUpCard way={way} footer={toSignIn} />;
  return (
    <SignInCard
      onForgot={() => show('forgot')}
      notice={
        passwordChanged && (
          <Alert kind="success">Your password is changed. Sign in with the new one.</Alert>
        )
      }
      footer={
        way === null ? (
          <p>Accounts are made by invitation here.</p>
        ) : (
          <p>
            No account yet? <TextButton onClick={() => show('sign-up')}>{way.title}</TextButton>
          </p>
        )
      }
    />
  );
}

/** How somebody without an invitation comes to an account; null where they do not. */
function useSignUpWay(): SignUpWay | null {
  const { firstAccount, signUp } = useConfiguration();
  const { hasAccounts } = useSession();
  if (firstAccount && !hasAccounts) return signUpWays.first;
  return signUp === 'closed' ? null : signUpWays[signUp];
}
