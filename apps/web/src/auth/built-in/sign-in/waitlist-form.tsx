import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress, personName } from '@/auth/built-in/form/validation';

export interface WaitlistValues {
  name: string;
  email: string;
}

const schema = object({ name: personName, email: emailAddress });

interface WaitlistFormProps {
  onSubmit: (values: WaitlistValues) => Promise<void>;
}

export function WaitlistForm({ onSubmit }: WaitlistFormProps) {
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
