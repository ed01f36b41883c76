import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { failureText } from '@/auth/built-in/form/failure-text';
import { useSession } from '@/auth/built-in/session-context';
import { useAcceptInvitation } from '@/auth/built-in/use-accept-invitation';
import { calls } from '@/paths';
import { toast } from '@/ui/toast';
import { AuthCard } from './auth-card';
import { CheckMailCard } from './check-mail-card';
import { SignInForm, type SignInValues } from './sign-in-form';
import { SignUpForm, type SignUpValues } from './sign-up-form';
import { TextButton } from './text-button';

interface InvitedCardProps {
  token: string;
  email: string;
  /** What the invitation is to. */
  host: string;
}

/** With a new account, which the invitation lets in, or with one's own. */
export function InvitedCard({ token, email, host }: InvitedCardProps) {
  const api = useApi();
  const { refresh, links } = useSession();
  const accept = useAcceptInvitation();
  const [hasAccount, setHasAccount] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function signUp(values: SignUpValues) {
    const call = api.post<{ pending?: boolean }>(calls.identity.signUp, {
      ...values,
      invitationToken: token,
    });
    // An address other than the invited one has to be proved first.
    if ((await call).data.pending) {
      setSentTo(values.email);
      return;
    }
    links.use();
    await refresh();
  }

  async function signIn(values: SignInValues) {
    await api.post(calls.identity.signIn, values);
    links.use();
    try {
      await accept(token);
    } catch (error) {
      // They are in all the same.
      toast.error(failureText(error));
      await refresh();
    }
  }

  const footer = (
    <TextButton onClick={() => setHasAccount(!hasAccount)}>
      {hasAccount ? 'Create a new account instead' : 'Join with an account you have'}
    </TextButton>
  );
  if (sentTo !== null) return <CheckMailCard email={sentTo} footer={null} />;
  if (hasAccount) {
    return (
      <AuthCard
        key="sign-in"
        title={`Join ${host}`}
        description="Sign in with the account you have."
        footer={footer}
      >
        <SignInForm email={email} onSubmit={signIn} />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      key="sign-up"
      title={`Join ${host}`}
      description="You are invited. Create your account to begin."
      footer={footer}
    >
      <SignUpForm email={email} onSubmit={signUp} />
    </AuthCard>
  );
}
