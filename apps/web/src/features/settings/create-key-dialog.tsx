import { useFormikContext, type FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import type { NewApiKey } from '@/api/types';
import { endpoints } from '@/paths';
import { DateTimeField } from '@/ui/datetime-field';
import { Field } from '@/ui/field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { keyInput, keyRoles, keySchema, newKey, type KeyValues } from './api-key';

interface CreateKeyDialogProps {
  onClose: () => void;
  /** Gets the text of the key. */
  onCreated: (key: string) => void;
}

/** Mounted while it is open. */
export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  const api = useApi();

  async function create(values: KeyValues, form: FormikHelpers<KeyValues>) {
    try {
      const { data } = await api.post<NewApiKey>(endpoints.apiKeys.create, keyInput(values));
      onCreated(data.key);
    } catch (error) {
      showFailure(form, error, 'The API key was not created');
      return;
    }
    onClose();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New API Key"
      initialValues={newKey}
      validationSchema={keySchema}
      onSubmit={create}
      submitLabel="Create"
      pendingLabel="Creating..."
    >
      <KeyFields />
    </FormDialog>
  );
}

function KeyFields() {
  const { touched, errors, getFieldProps } = useFormikContext<KeyValues>();
  return (
    <>
      <Field label="Name" required error={touched.name && errors.name}>
        {(control) => <Input {...control} {...getFieldProps('name')} autoComplete="off" />}
      </Field>
      <Field label="Role" required error={touched.role && errors.role}>
        {(control) => (
          <Select {...control} {...getFieldProps('role')}>
            {Object.entries(keyRoles).map(([role, label]) => (
              <option key={role} value={role}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <DateTimeField
        name="expiresAt"
        label="Expires at (optional)"
        description="Empty means never."
      />
    </>
  );
}
