import { useState, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { useSession } from '@/auth/built-in/session-context';
import type { SignInIntent } from '@/site/start-link';
import { Alert } from '@/ui/alert';
import { ForgotCard } from './forgot-card';
import { InvitationCard } from './invitation-card';
import { NewPasswordCard } from './new-password-card';
import { SignInCard } from './sign-in-card';
import { SignUpCard } from './sign-up-card';
import { TextButton } from './text-button';
import { WaitlistCard } from './waitlist-card';

type View = 'sign-in' | 'sign-up' | 'forgot';

/** The page at /login: what a mailed link asks for, or signing in and the ways to it. */
export function SignInScreen() {
  const { links } = useSession();
  const way = useSignUpWay();
  const wantsAccount = useWantsAccount();
  const [view, setView] = useState<View>(way === 'first' || wantsAccount ? 'sign-up' : 'sign-in');
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
  if (view === 'sign-up' && way !== null) return signUpCard(way, toSignIn);
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
            No account yet?{' '}
            <TextButton onClick={() => show('sign-up')}>{signUpLinks[way]}</TextButton>
          </p>
        )
      }
    />
  );
}

/** Whether somebody comes by a link that promises an account. */
function useWantsAccount(): boolean {
  const state = useLocation().state as SignInIntent | null;
  return state?.wants === 'account';
}

/** How somebody without an invitation comes to an account. */
type SignUpWay = 'first' | 'open' | 'waitlist';

const signUpLinks: Record<SignUpWay, string> = {
  first: 'Create the first account',
  open: 'Create account',
  waitlist: 'Join the waitlist',
};

function signUpCard(way: SignUpWay, footer: ReactNode): ReactNode {
  switch (way) {
    case 'first':
      return (
        <SignUpCard
          title="Create the first account"
          description="It administers this installation."
          footer={footer}
        />
      );
    case 'open':
      return <SignUpCard title="Create account" footer={footer} />;
    case 'waitlist':
      return <WaitlistCard footer={footer} />;
  }
}

/** Null where nobody without an invitation does. */
function useSignUpWay(): SignUpWay | null {
  const { firstAccount, signUp } = useConfiguration();
  const { hasAccounts } = useSession();
  if (firstAccount && !hasAccounts) return 'first';
  return signUp === 'closed' ? null : signUp;
}
