import type { ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { calls } from '@/paths';
import { AuthCard } from './auth-card';
import { NewPasswordForm, type NewPasswordValues } from './new-password-form';

interface NewPasswordCardProps {
  token: string;
  footer: ReactNode;
  onChanged: () => void;
}

export function NewPasswordCard({ token, footer, onChanged }: NewPasswordCardProps) {
  const api = useApi();

  async function change({ password }: NewPasswordValues) {
    await api.post(calls.identity.confirmPasswordReset, { token, password });
    onChanged();
  }

  return (
    <AuthCard
      title="Choose a new password"
      description="You are signed out everywhere once it is changed."
      footer={footer}
    >
      <NewPasswordForm onSubmit={change} />
    </AuthCard>
  );
}
