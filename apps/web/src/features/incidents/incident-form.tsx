import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { ItemForm } from '@/items/item-form';
import { DateTimeInput } from '@/ui/datetime-input';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { incidentStatuses, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import type { IncidentValues } from './incident';

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
  const { values, touched, errors, getFieldProps, setFieldValue } =
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
      <Field
        label="Occurred at"
        required
        className="max-w-64"
        error={touched.occuredAt && errors.occuredAt}
      >
        {(control) => (
          <DateTimeInput
            {...control}
            {...getFieldProps('occuredAt')}
            value={values.occuredAt}
            onChange={(instant) => void setFieldValue('occuredAt', instant)}
          />
        )}
      </Field>
      <Field label="Description" required error={touched.description && errors.description}>
        {(control) => <Textarea {...control} {...getFieldProps('description')} />}
      </Field>
    </>
  );
}
