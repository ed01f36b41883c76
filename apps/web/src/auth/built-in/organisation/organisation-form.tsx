import type { ReactNode } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import type { AuthOrganisation } from '@/auth/auth';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { organisationName } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';

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

/** The form of a new organisation or of another name. */
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

/** Creates an organisation and switches to it. */
export function useCreateOrganisation() {
  const api = useApi();
  const { refresh } = useSession();
  return async (values: OrganisationValues): Promise<void> => {
    const { data } = await api.post<AuthOrganisation>(endpoints.identity.organisations, values);
    await refresh(data.id);
  };
}
