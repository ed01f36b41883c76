import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenEmailAddress, givenPassword } from '@/auth/built-in/form/validation';

export interface SignInValues {
  email: string;
  password: string;
}

const schema = object({ email: givenEmailAddress, password: givenPassword });

interface SignInFormProps {
  email?: string;
  onSubmit: (values: SignInValues) => Promise<void>;
}

export function SignInForm({ email = '', onSubmit }: SignInFormProps) {
  return (
    <IdentityForm
      initialValues={{ email, password: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Sign in"
      pendingLabel="Signing in..."
    >
      <TextField name="email" label="Email" type="email" autoComplete="username" />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
    </IdentityForm>
  );
}
