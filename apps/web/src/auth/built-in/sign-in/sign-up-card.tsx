import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';
import { SignUpForm, type SignUpValues } from './sign-up-form';
import type { SignUpWay } from './sign-up-ways';

/** What the server answers somebody who has to wait. */
interface Waitlisted {
  waitlisted?: boolean;
}

interface SignUpCardProps {
  way: SignUpWay;
  footer: ReactNode;
}

export function SignUpCard({ way, footer }: SignUpCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [waiting, setWaiting] = useState<string | null>(null);

  async function signUp(values: SignUpValues) {
    const { data, message } = await api.post<Waitlisted>(calls.identity.signUp, values);
    if (data.waitlisted) setWaiting(message ?? 'Once you are let in, a link comes by mail.');
    else await refresh();
  }

  if (waiting !== null) {
    return (
      <AuthCard title="Thank you" footer={footer}>
        <Alert kind="success">{waiting}</Alert>
      </AuthCard>
    );
  }
  const { title, description, ...labels } = way;
  return (
    <AuthCard title={title} description={description} footer={footer}>
      <SignUpForm {...labels} onSubmit={signUp} />
    </AuthCard>
  );
}
