import type { ReactNode } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { NewPasswordField } from '@/auth/built-in/form/new-password-field';
import { newPassword } from '@/auth/built-in/form/validation';
import { endpoints } from '@/paths';
import { AuthCard } from './auth-card';

/**
 * Shown after a password reset. It keeps passkeys, second factors and API keys, also those that
 * somebody else has added.
 */
export const passwordChanged =
  'Your password is changed. Sign in with the new one. Then check the passkeys and second factors in your profile, and the API keys of your organisations: they stay.';

interface NewPasswordCardProps {
  token: string;
  footer: ReactNode;
  onChanged: () => void;
}

export function NewPasswordCard({ token, footer, onChanged }: NewPasswordCardProps) {
  const api = useApi();

  async function change({ password }: NewPasswordValues) {
    await api.post(endpoints.identity.confirmPasswordReset, { token, password });
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

export interface NewPasswordValues {
  password: string;
}

const schema = object({ password: newPassword });

interface NewPasswordFormProps {
  onSubmit: (values: NewPasswordValues) => Promise<void>;
}

export function NewPasswordForm({ onSubmit }: NewPasswordFormProps) {
  return (
    <IdentityForm
      initialValues={{ password: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Change Password"
      pendingLabel="Changing password..."
    >
      <NewPasswordField name="password" label="New password" />
    </IdentityForm>
  );
}
