import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { ItemForm } from '@/items/item-form';
import { DateTimeField } from '@/ui/datetime-field';
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
  const { touched, errors, getFieldProps } = useFormikContext<MaintenanceValues>();
  return (
    <>
      <Field label="Title" required error={touched.title && errors.title}>
        {(control) => <Input {...control} {...getFieldProps('title')} autoComplete="off" />}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <DateTimeField name="startAt" label="Start at" required />
        <DateTimeField name="endAt" label="End at (optional)" />
      </div>
      <Field label="Description" required error={touched.description && errors.description}>
        {(control) => <Textarea {...control} {...getFieldProps('description')} />}
      </Field>
    </>
  );
}
