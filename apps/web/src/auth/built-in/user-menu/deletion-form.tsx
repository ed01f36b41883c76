import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenPassword } from '@/auth/built-in/form/validation';

export interface DeletionValues {
  password: string;
}

const schema = object({ password: givenPassword });

interface DeletionFormProps {
  /** Tells password managers whose password it is. */
  email: string;
  onSubmit: (values: DeletionValues) => Promise<void>;
}

export function DeletionForm({ email, onSubmit }: DeletionFormProps) {
  return (
    <IdentityForm
      initialValues={{ password: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Delete account"
      pendingLabel="Deleting account..."
      variant="danger"
      layout="end"
    >
      <p className="text-muted">
        Your sessions end, and organisations that nobody else belongs to are deleted with their
        status pages. Updates you recorded stay, without your name. It cannot be undone.
      </p>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
    </IdentityForm>
  );
}
