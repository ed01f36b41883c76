import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress, newPassword, personName } from '@/auth/built-in/form/validation';

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
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        description="At least 12 characters. A few words that belong to you alone work well."
      />
    </IdentityForm>
  );
}
