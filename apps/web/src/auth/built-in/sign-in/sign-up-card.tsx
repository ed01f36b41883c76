import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { AuthCard } from './auth-card';
import { SignUpForm, type SignUpValues } from './sign-up-form';
import { WaitlistedCard } from './waitlisted-card';

interface Answered {
  waitlisted?: boolean;
}

interface SignUpCardProps {
  title: string;
  description?: string;
  footer: ReactNode;
}

export function SignUpCard({ title, description, footer }: SignUpCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [waiting, setWaiting] = useState<{ message: string | null } | null>(null);

  async function signUp(values: SignUpValues) {
    const answer = await api.post<Answered>(calls.identity.signUp, values);
    // Somebody else may have made the first account in the meantime, after which others wait.
    if (answer.data.waitlisted) setWaiting(answer);
    else await refresh();
  }

  if (waiting !== null) return <WaitlistedCard message={waiting.message} footer={footer} />;
  return (
    <AuthCard title={title} description={description} footer={footer}>
      <SignUpForm onSubmit={signUp} />
    </AuthCard>
  );
}
