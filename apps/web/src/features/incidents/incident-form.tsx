import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { isNotInFuture } from '@/api/rules';
import { ItemForm } from '@/items/item-form';
import { NotifyField } from '@/items/notify-field';
import { DateTimeField } from '@/ui/datetime-field';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { incidentStatuses, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import { entersResolution, type IncidentValues } from './incident';

const options = statusOptions(incidentStatuses);

/** The form of a new or an existing incident. Its children follow the fields that both have. */
export function IncidentForm<Values extends IncidentValues>({
  children,
  ...form
}: ComponentProps<typeof ItemForm<Values>>) {
  return (
    <ItemForm {...form}>
      <IncidentFields />
      {children}
    </ItemForm>
  );
}

function IncidentFields() {
  const { values, initialValues, touched, errors, getFieldProps, setFieldValue } =
    useFormikContext<IncidentValues>();
  return (
    <>
      <Field label="Title" required error={touched.title && errors.title}>
        {(control) => <Input {...control} {...getFieldProps('title')} autoComplete="off" />}
      </Field>
      <ToggleGroup
        label="Status"
        name="status"
        options={options}
        value={values.status}
        onChange={(status) => void setFieldValue('status', status)}
        error={touched.status && errors.status}
        required
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <DateTimeField
          name="occuredAt"
          label="Occurred at"
          description={!isNotInFuture(values.occuredAt) && 'This time is in the future.'}
          required
        />
        {values.status === 'RESOLVED' && (
          <DateTimeField
            name="resolvedAt"
            label="Resolved at (optional)"
            description={
              initialValues.resolvedAt
                ? 'Empty keeps the stored time.'
                : 'Empty means when you save.'
            }
          />
        )}
      </div>
      <Field label="Description" required error={touched.description && errors.description}>
        {(control) => <Textarea {...control} {...getFieldProps('description')} />}
      </Field>
    </>
  );
}

/** Inside the form: whether saving notifies subscribers. */
export function IncidentNotifyField({ help }: { help: string }) {
  const { values, initialValues } = useFormikContext<IncidentValues>();
  return <NotifyField help={help} isBackfilled={entersResolution(values, initialValues)} />;
}
