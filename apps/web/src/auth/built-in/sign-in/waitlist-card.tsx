import { type ReactNode, useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress, personName } from '@/auth/built-in/form/validation';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';

interface Joined {
  message: string | null;
}

export function WaitlistCard({ footer }: { footer: ReactNode }) {
  const api = useApi();
  const [joined, setJoined] = useState<Joined | null>(null);

  async function join(values: WaitlistValues) {
    setJoined(await api.post(endpoints.identity.signUp, { ...values, password: randomPassword() }));
  }

  if (joined !== null) return <WaitlistedCard message={joined.message} footer={footer} />;
  return (
    <AuthCard
      title="Join the waitlist"
      description="Accounts are made by invitation here. Once you are let in, a link comes by mail."
      footer={footer}
    >
      <WaitlistForm onSubmit={join} />
    </AuthCard>
  );
}

/**
 * The sign-up request requires a password. The server discards it: users of the waitlist choose
 * one later.
 */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface WaitlistValues {
  name: string;
  email: string;
}

const schema = object({ name: personName, email: emailAddress });

interface WaitlistFormProps {
  onSubmit: (values: WaitlistValues) => Promise<void>;
}

function WaitlistForm({ onSubmit }: WaitlistFormProps) {
  return (
    <IdentityForm
      initialValues={{ name: '', email: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Join the waitlist"
      pendingLabel="Joining..."
    >
      <TextField name="name" label="Name" autoComplete="name" />
      <TextField name="email" label="Email" type="email" autoComplete="email" />
    </IdentityForm>
  );
}

interface WaitlistedCardProps {
  /** The server's message. */
  message: string | null;
  footer: ReactNode;
}

export function WaitlistedCard({ message, footer }: WaitlistedCardProps) {
  return (
    <AuthCard title="Thank you" footer={footer}>
      <Alert kind="success">{message ?? 'Once you are let in, a link comes by mail.'}</Alert>
    </AuthCard>
  );
}
