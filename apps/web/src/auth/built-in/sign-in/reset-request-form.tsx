import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenEmailAddress } from '@/auth/built-in/form/validation';

export interface ResetRequestValues {
  email: string;
}

const schema = object({ email: givenEmailAddress });

interface ResetRequestFormProps {
  onSubmit: (values: ResetRequestValues) => Promise<void>;
}

export function ResetRequestForm({ onSubmit }: ResetRequestFormProps) {
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
