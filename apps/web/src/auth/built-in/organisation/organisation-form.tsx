import type { ReactNode } from 'react';
import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { organisationName } from '@/auth/built-in/form/validation';

export interface OrganisationValues {
  name: string;
}

const schema = object({ name: organisationName });

interface OrganisationFormProps {
  name?: string;
  submitLabel: string;
  pendingLabel: string;
  layout?: 'wide' | 'end';
  onSubmit: (values: OrganisationValues) => Promise<void>;
  /** After the fields: inside the formik context. */
  children?: ReactNode;
}

/** Creates an organisation, or gives one another name. */
export function OrganisationForm({ name = '', children, ...form }: OrganisationFormProps) {
  return (
    <IdentityForm initialValues={{ name }} schema={schema} {...form}>
      <TextField
        name="name"
        label="Name"
        autoComplete="organization"
        description="Visitors see it on your status page."
      />
      {children}
    </IdentityForm>
  );
}
