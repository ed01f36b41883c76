import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { ItemForm } from '@/items/item-form';
import { DateTimeField } from '@/ui/datetime-field';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';
import { isPast, type MaintenanceValues, type NewMaintenanceValues } from './maintenance';

/**
 * The form of a new or an existing maintenance, which may be cancelled. Its children follow the
 * fields that both have.
 */
export function MaintenanceForm<Values extends MaintenanceValues>({
  isCancelled = false,
  children,
  ...form
}: ComponentProps<typeof ItemForm<Values>> & { isCancelled?: boolean }) {
  return (
    <ItemForm {...form}>
      <MaintenanceFields isCancelled={isCancelled} />
      {children}
    </ItemForm>
  );
}

type FieldValues = MaintenanceValues & Partial<Pick<NewMaintenanceValues, 'status'>>;

const beginsAtOnce = 'This time is in the past: the maintenance begins when you save it.';
const endsAtOnce = 'This time is in the past: the maintenance is over when you save it.';

function MaintenanceFields({ isCancelled }: { isCancelled: boolean }) {
  const { values, initialValues, touched, errors, getFieldProps } = useFormikContext<FieldValues>();
  const takesPlace = !isCancelled && values.status !== 'CANCELLED';
  const begins = takesPlace && isPast(values.startAt) && !isPast(initialValues.startAt);
  const ends = takesPlace && isPast(values.endAt) && !isPast(initialValues.endAt);
  return (
    <>
      <Field label="Title" required error={touched.title && errors.title}>
        {(control) => <Input {...control} {...getFieldProps('title')} autoComplete="off" />}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <DateTimeField
          name="startAt"
          label="Start at"
          description={begins && !isPast(values.endAt) && beginsAtOnce}
          required
        />
        <DateTimeField name="endAt" label="End at (optional)" description={ends && endsAtOnce} />
      </div>
      <Field label="Description" required error={touched.description && errors.description}>
        {(control) => <Textarea {...control} {...getFieldProps('description')} />}
      </Field>
    </>
  );
}
