import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import type { AuthOrganisation } from '@/auth/auth';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { organisationName } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';

interface OrganisationValues {
  name: string;
}

const schema = object({ name: organisationName });

interface OrganisationFormProps {
  submitLabel: string;
  pendingLabel: string;
  layout?: 'wide' | 'end';
  onSubmit: (values: OrganisationValues) => Promise<void>;
}

/** The form of a new organisation. */
export function OrganisationForm(form: OrganisationFormProps) {
  return (
    <IdentityForm initialValues={{ name: '' }} schema={schema} {...form}>
      <TextField
        name="name"
        label="Name"
        autoComplete="organization"
        description="Visitors see it on your status page."
      />
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
