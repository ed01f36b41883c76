import { useField } from 'formik';
import { object, string } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress } from '@/auth/built-in/form/validation';
import type { Role } from '@/auth/built-in/types';
import { Field } from '@/ui/field';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { RoleSelect } from './role-select';
import { roles } from './roles';

export interface InviteValues {
  email: string;
  role: Role;
}

const schema = object({
  email: emailAddress,
  role: string<Role>().oneOf(roles, 'Select Any One').required('Select Any One'),
});

interface InviteFormProps {
  onSubmit: (values: InviteValues) => Promise<void>;
}

export function InviteForm({ onSubmit }: InviteFormProps) {
  return (
    <IdentityForm<InviteValues>
      initialValues={{ email: '', role: 'member' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Send invitation"
      pendingLabel="Sending..."
      layout="end"
    >
      <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
        <TextField name="email" label="Email" type="email" autoComplete="off" />
        <RoleField />
      </div>
      <FormLeaveGuard />
    </IdentityForm>
  );
}

function RoleField() {
  const [field, { error, touched }] = useField<Role>('role');
  return (
    <Field label="Role" error={touched && error} required>
      {(control) => <RoleSelect {...control} {...field} />}
    </Field>
  );
}
