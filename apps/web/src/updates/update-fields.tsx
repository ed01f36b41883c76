import { useFormikContext } from 'formik';
import { Field } from '@/ui/field';
import { incidentStatuses, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import type { UpdateInput } from './timeline';

const options = statusOptions(incidentStatuses);

export function UpdateFields() {
  const { values, touched, errors, getFieldProps, setFieldValue } = useFormikContext<UpdateInput>();
  return (
    <>
      <ToggleGroup
        label="Status"
        name="status"
        options={options}
        value={values.status}
        onChange={(status) => void setFieldValue('status', status)}
        error={touched.status && errors.status}
        required
      />
      <Field label="Message" required error={touched.message && errors.message}>
        {(control) => <Textarea {...control} {...getFieldProps('message')} />}
      </Field>
    </>
  );
}
