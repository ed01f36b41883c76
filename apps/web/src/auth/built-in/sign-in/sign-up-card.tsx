import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { AuthCard } from './auth-card';
import { CheckMailCard } from './check-mail-card';
import { MailNotice } from './mail-notice';
import { SignUpForm, type SignUpValues } from './sign-up-form';
import { WaitlistedCard } from './waitlisted-card';

interface Answered {
  waitlisted?: boolean;
  pending?: boolean;
}

interface SignUpCardProps {
  title: string;
  description?: string;
  /** Whether a link is mailed before there is an account. */
  mailed: boolean;
  footer: ReactNode;
}

export function SignUpCard({ title, description, mailed, footer }: SignUpCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<{ message: string | null } | null>(null);

  async function signUp(values: SignUpValues) {
    const answer = await api.post<Answered>(calls.identity.signUp, values);
    // Somebody else may have made the first account in the meantime, after which others wait.
    if (answer.data.waitlisted) setWaiting(answer);
    else if (answer.data.pending) setSentTo(values.email);
    else await refresh();
  }

  if (sentTo !== null) return <CheckMailCard email={sentTo} footer={footer} />;
  if (waiting !== null) return <WaitlistedCard message={waiting.message} footer={footer} />;
  return (
    <AuthCard title={title} description={description} footer={footer}>
      <SignUpForm onSubmit={signUp} />
      {mailed && <MailNotice />}
    </AuthCard>
  );
}
