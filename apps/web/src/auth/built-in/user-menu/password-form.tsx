import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenPassword, newPassword } from '@/auth/built-in/form/validation';

export interface PasswordValues {
  currentPassword: string;
  newPassword: string;
}

const schema = object({ currentPassword: givenPassword, newPassword });

interface PasswordFormProps {
  /** Tells password managers whose password it is. */
  email: string;
  onSubmit: (values: PasswordValues) => Promise<void>;
}

export function PasswordForm({ email, onSubmit }: PasswordFormProps) {
  return (
    <IdentityForm
      initialValues={{ currentPassword: '', newPassword: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Change password"
      pendingLabel="Changing password..."
      layout="end"
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        name="currentPassword"
        label="Current password"
        type="password"
        autoComplete="current-password"
      />
      <TextField
        name="newPassword"
        label="New password"
        type="password"
        autoComplete="new-password"
        description="At least 12 characters. Your other sessions are signed out."
      />
    </IdentityForm>
  );
}
