import { useState, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { useSession } from '@/auth/built-in/session-context';
import type { SignInIntent } from '@/auth/start-link';
import { Alert } from '@/ui/alert';
import { ConfirmationCard } from './confirmation-card';
import { ForgotCard } from './forgot-card';
import { InvitationCard } from './invitation-card';
import { NewAddressCard } from './new-address-card';
import { NewPasswordCard, passwordChanged } from './new-password-card';
import { SignInCard } from './sign-in-card';
import { SignUpCard } from './sign-up-card';
import { TextButton } from './auth-card';
import { WaitlistCard } from './waitlist-card';

type View = 'sign-in' | 'sign-up' | 'forgot';

/** The page at /login: handles mailed links, sign-in, sign-up and forgotten passwords. */
export function SignInScreen() {
  const { links, state } = useSession();
  const { passwords } = useConfiguration();
  const way = useSignUpWay();
  const wantsAccount = useWantsAccount();
  const wantsPassword = useWantsPassword();
  const [view, setView] = useState<View>(() => {
    if (wantsPassword && passwords) return 'forgot';
    return way === 'first' || wantsAccount ? 'sign-up' : 'sign-in';
  });
  const [notice, setNotice] = useState<string | null>(null);

  const show = (next: View) => {
    links.dismiss();
    setNotice(null);
    setView(next);
  };
  const toSignIn = (
    <p>
      Already have an account? <TextButton onClick={() => show('sign-in')}>Sign in</TextButton>
    </p>
  );
  const back = <TextButton onClick={() => show('sign-in')}>Back to sign in</TextButton>;

  const isSignedIn = state.status === 'signed-in';
  // The link is kept until the user has signed in.
  const confirmsLater = links.link?.kind === 'address' && !isSignedIn;
  if (links.link !== null && !confirmsLater) {
    const { kind, token } = links.link;
    if (kind === 'invitation') return <InvitationCard token={token} footer={back} />;
    if (kind !== 'reset') {
      return (
        <ConfirmationCard
          kind={kind}
          token={token}
          footer={back}
          onSignUp={way === null ? null : () => show('sign-up')}
        />
      );
    }
    const onChanged = () => {
      show('sign-in');
      setNotice(passwordChanged);
    };
    return <NewPasswordCard token={token} footer={back} onChanged={onChanged} />;
  }
  if (isSignedIn && state.user.needsAddress) return <NewAddressCard />;
  if (view === 'forgot') return <ForgotCard footer={back} />;
  if (view === 'sign-up' && way !== null) return signUpCard(way, toSignIn);
  return (
    <SignInCard
      onForgot={() => show('forgot')}
      notice={
        confirmsLater ? (
          <Alert>Sign in to the account that the address was entered for, to confirm it.</Alert>
        ) : (
          notice !== null && <Alert kind="success">{notice}</Alert>
        )
      }
      footer={
        way === null ? (
          passwords && <p>Accounts are made by invitation here.</p>
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

/** Whether the visitor came by a link to sign-up. */
function useWantsAccount(): boolean {
  const state = useLocation().state as SignInIntent | null;
  return state?.wants === 'account';
}

/** Whether the visitor came by a mailed link to a new password. */
function useWantsPassword(): boolean {
  return new URLSearchParams(useLocation().search).has('forgot');
}

/** The kind of sign-up without an invitation. */
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
          mailed={false}
          footer={footer}
        />
      );
    case 'open':
      return <SignUpCard title="Create account" mailed footer={footer} />;
    case 'waitlist':
      return <WaitlistCard footer={footer} />;
  }
}

/** Null if sign-up needs an invitation or an identity provider. */
function useSignUpWay(): SignUpWay | null {
  const { firstAccount, passwords, signUp } = useConfiguration();
  const { hasAccounts } = useSession();
  if (!passwords) return null;
  if (firstAccount && !hasAccounts) return 'first';
  return signUp === 'closed' ? null : signUp;
}
