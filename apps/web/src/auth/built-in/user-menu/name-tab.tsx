import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { personName } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { toast } from '@/ui/toast';

interface NameValues {
  name: string;
}

const schema = object({ name: personName });

interface NameTabProps {
  name: string;
  onDone: () => void;
}

export function NameTab({ name, onDone }: NameTabProps) {
  const api = useApi();
  const { refresh } = useSession();

  async function rename(values: NameValues) {
    await api.patch(endpoints.identity.user, values);
    await refresh();
    toast.success('Name changed');
    onDone();
  }

  return (
    <IdentityForm
      initialValues={{ name }}
      schema={schema}
      onSubmit={rename}
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
