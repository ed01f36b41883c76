import type { FormikHelpers } from 'formik';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { personName } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { useFinishDialog } from '@/ui/dialog-guard';
import { toast } from '@/ui/toast';

interface NameValues {
  name: string;
}

const schema = object({ name: personName });

export function NameTab({ name }: NameValues) {
  const api = useApi();
  const finish = useFinishDialog();
  const { refresh } = useSession();

  async function rename(values: NameValues, form: FormikHelpers<NameValues>) {
    await api.patch(endpoints.identity.user, values);
    await refresh();
    toast.success('Name changed');
    form.resetForm({ values });
    finish();
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
