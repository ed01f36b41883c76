import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { personName } from '@/auth/built-in/form/validation';

export interface NameValues {
  name: string;
}

const schema = object({ name: personName });

interface NameFormProps {
  name: string;
  onSubmit: (values: NameValues) => Promise<void>;
}

export function NameForm({ name, onSubmit }: NameFormProps) {
  return (
    <IdentityForm
      initialValues={{ name }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Save"
      pendingLabel="Saving..."
      layout="end"
    >
      <TextField
        name="name"
        label="Name"
        autoComplete="name"
        description="Other members see it, also beside the updates you record."
      />
    </IdentityForm>
  );
}
