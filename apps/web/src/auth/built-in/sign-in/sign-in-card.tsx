import type { ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { AuthCard } from './auth-card';
import { SignInForm, type SignInValues } from './sign-in-form';
import { TextButton } from './text-button';

interface SignInCardProps {
  notice?: ReactNode;
  /** The way to an account, where there is one. */
  footer: ReactNode;
  onForgot: () => void;
}

export function SignInCard({ notice, footer, onForgot }: SignInCardProps) {
  const api = useApi();
  const { refresh } = useSession();

  async function signIn(values: SignInValues) {
    await api.post(calls.identity.signIn, values);
    await refresh();
  }

  return (
    <AuthCard title="Sign in" footer={footer}>
      {notice}
      <SignInForm onSubmit={signIn} />
      <p className="text-center">
        <TextButton onClick={onForgot}>Forgot your password?</TextButton>
      </p>
    </AuthCard>
  );
}
