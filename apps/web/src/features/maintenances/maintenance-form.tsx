import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { ItemForm } from '@/items/item-form';
import { DateTimeInput } from '@/ui/datetime-input';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';
import type { MaintenanceValues } from './maintenance';

/** The form of a new or an existing maintenance. Its children follow the fields that both have. */
export function MaintenanceForm<Values extends MaintenanceValues>({
  children,
  ...form
}: ComponentProps<typeof ItemForm<Values>>) {
  return (
    <ItemForm {...form}>
      <MaintenanceFields />
      {children}
    </ItemForm>
  );
}

function MaintenanceFields() {
  const { values, touched, errors, getFieldProps, setFieldValue } =
    useFormikContext<MaintenanceValues>();
  return (
    <>
      <Field label="Title" required error={touched.title && errors.title}>
        {(control) => <Input {...control} {...getFieldProps('title')} autoComplete="off" />}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Start at" required error={touched.startAt && errors.startAt}>
          {(control) => (
            <DateTimeInput
              {...control}
              {...getFieldProps('startAt')}
              value={values.startAt}
              onChange={(instant) => void setFieldValue('startAt', instant)}
            />
          )}
        </Field>
        <Field label="End at (optional)" error={touched.endAt && errors.endAt}>
          {(control) => (
            <DateTimeInput
              {...control}
              {...getFieldProps('endAt')}
              value={values.endAt}
              onChange={(instant) => void setFieldValue('endAt', instant)}
            />
          )}
        </Field>
      </div>
      <Field label="Description" required error={touched.description && errors.description}>
        {(control) => <Textarea {...control} {...getFieldProps('description')} />}
      </Field>
    </>
  );
}
