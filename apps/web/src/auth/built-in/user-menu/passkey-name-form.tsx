import { object } from 'yup';
import { limits, line } from '@/api/text';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';

interface NameValues {
  name: string;
}

const schema = object({ name: line(limits.name).required('Name is required') });

interface PasskeyNameFormProps {
  name: string;
  description: string;
  submitLabel: string;
  pendingLabel: string;
  /** Throws an error that the form shows. */
  onSubmit: (name: string) => Promise<void>;
  onCancel: () => void;
}

/** Asks for the name of a passkey. */
export function PasskeyNameForm({
  name,
  description,
  submitLabel,
  pendingLabel,
  onSubmit,
  onCancel,
}: PasskeyNameFormProps) {
  return (
    <div className="grid gap-4">
      <p className="text-muted">{description}</p>
      <IdentityForm<NameValues>
        initialValues={{ name }}
        schema={schema}
        onSubmit={(values) => onSubmit(values.name)}
        submitLabel={submitLabel}
        pendingLabel={pendingLabel}
        layout="end"
        onCancel={onCancel}
      >
        <TextField name="name" label="Name" autoComplete="off" />
      </IdentityForm>
    </div>
  );
}
