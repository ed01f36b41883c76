import { type ReactNode, useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenEmailAddress } from '@/auth/built-in/form/validation';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { MailNotice } from '@/ui/mail-notice';
import { AuthCard } from './auth-card';

export function ForgotCard({ footer }: { footer: ReactNode }) {
  const api = useApi();
  const [sent, setSent] = useState<string | null>(null);

  async function request(values: ResetRequestValues) {
    const { message } = await api.post(endpoints.identity.passwordReset, values);
    // The text must not reveal whether there is an account.
    setSent(message ?? 'If there is an account for this address, a link is on its way to it.');
  }

  if (sent !== null) {
    return (
      <AuthCard title="Check your mailbox" footer={footer}>
        <Alert kind="success">{sent}</Alert>
        <MailNotice />
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

interface ResetRequestValues {
  email: string;
}

const schema = object({ email: givenEmailAddress });

interface ResetRequestFormProps {
  onSubmit: (values: ResetRequestValues) => Promise<void>;
}

function ResetRequestForm({ onSubmit }: ResetRequestFormProps) {
  return (
    <IdentityForm
      initialValues={{ email: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Send the link"
      pendingLabel="Sending..."
    >
      <TextField name="email" label="Email" type="email" autoComplete="username" />
    </IdentityForm>
  );
}
