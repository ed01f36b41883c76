import { type ReactNode, useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { NewPasswordField } from '@/auth/built-in/form/new-password-field';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress, newPassword, personName } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { MailNotice } from '@/ui/mail-notice';
import { AuthCard } from './auth-card';
import { CheckMailCard } from './check-mail-card';
import { WaitlistedCard } from './waitlist-card';

interface SignUpResponse {
  waitlisted?: boolean;
  pending?: boolean;
}

interface SignUpCardProps {
  title: string;
  description?: string;
  /** Whether the account must be confirmed by a mailed link. */
  mailed: boolean;
  footer: ReactNode;
}

export function SignUpCard({ title, description, mailed, footer }: SignUpCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<{ message: string | null } | null>(null);

  async function signUp(values: SignUpValues) {
    const response = await api.post<SignUpResponse>(endpoints.identity.signUp, values);
    // Another visitor may have created the first account meanwhile; then this one joins
    // the waitlist.
    if (response.data.waitlisted) setWaiting(response);
    else if (response.data.pending) setSentTo(values.email);
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

export interface SignUpValues {
  name: string;
  email: string;
  password: string;
}

const schema = object({ name: personName, email: emailAddress, password: newPassword });

interface SignUpFormProps {
  email?: string;
  onSubmit: (values: SignUpValues) => Promise<void>;
}

export function SignUpForm({ email = '', onSubmit }: SignUpFormProps) {
  return (
    <IdentityForm
      initialValues={{ name: '', email, password: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Create account"
      pendingLabel="Creating account..."
    >
      <TextField name="name" label="Name" autoComplete="name" />
      <TextField name="email" label="Email" type="email" autoComplete="username" />
      <NewPasswordField
        name="password"
        label="Password"
        hint="A few words that belong to you alone work well."
      />
    </IdentityForm>
  );
}
