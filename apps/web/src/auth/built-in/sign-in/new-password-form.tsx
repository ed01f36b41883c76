import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { newPassword } from '@/auth/built-in/form/validation';

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
      submitLabel="Change password"
      pendingLabel="Changing password..."
    >
      <TextField
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        description="At least 12 characters."
      />
    </IdentityForm>
  );
}
