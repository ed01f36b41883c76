import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { calls } from '@/paths';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';
import { ResetRequestForm, type ResetRequestValues } from './reset-request-form';

export function ForgotCard({ footer }: { footer: ReactNode }) {
  const api = useApi();
  const [sent, setSent] = useState<string | null>(null);

  async function request(values: ResetRequestValues) {
    const { message } = await api.post(calls.identity.passwordReset, values);
    // The answer must not tell whether there is an account.
    setSent(message ?? 'If there is an account for this address, a link is on its way to it.');
  }

  if (sent !== null) {
    return (
      <AuthCard title="Look into your mail" footer={footer}>
        <Alert kind="success">{sent}</Alert>
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title="Reset your password"
      description="We mail you a link that lets you choose a new one."
      footer={footer}
    >
      <ResetRequestForm onSubmit={request} />
    </AuthCard>
  );
}
