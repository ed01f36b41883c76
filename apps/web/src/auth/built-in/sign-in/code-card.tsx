import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { factorCode } from '@/auth/built-in/form/validation';
import { endpoints } from '@/paths';
import { AuthCard, TextButton } from './auth-card';

interface CodeCardProps {
  /** Called when the server has accepted the code. */
  onSignedIn: () => Promise<void>;
  /** Back to the password. */
  onCancel: () => void;
}

/** The second step of a sign-in. */
export function CodeCard({ onSignedIn, onCancel }: CodeCardProps) {
  const api = useApi();

  async function submit(values: CodeValues) {
    await api.post(endpoints.identity.signInCode, values);
    await onSignedIn();
  }

  return (
    <AuthCard
      title="Enter your code"
      description="Your account has a second factor."
      footer={<TextButton onClick={onCancel}>Back to sign in</TextButton>}
    >
      <CodeForm onSubmit={submit} />
    </AuthCard>
  );
}

export interface CodeValues {
  code: string;
}

const schema = object({ code: factorCode });

export function CodeForm({ onSubmit }: { onSubmit: (values: CodeValues) => Promise<void> }) {
  return (
    <IdentityForm
      initialValues={{ code: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Sign in"
      pendingLabel="Signing in..."
    >
      <TextField
        name="code"
        label="Code"
        autoComplete="one-time-code"
        description="Six digits of your authenticator app, or a recovery code."
      />
    </IdentityForm>
  );
}
