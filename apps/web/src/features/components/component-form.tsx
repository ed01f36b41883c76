import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import { ItemForm } from '@/items/item-form';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { lastDay } from '@/ui/local-minute';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import { useDateField } from '@/ui/use-date-field';
import { componentSchema, type ComponentValues } from './component';
import { GroupField } from './group-field';

const statuses = statusOptions(componentStatuses);

interface ComponentFormProps extends Omit<
  ComponentProps<typeof ItemForm<ComponentValues>>,
  'validationSchema'
> {
  isNew?: boolean;
}

export function ComponentForm({ children, isNew = false, ...form }: ComponentFormProps) {
  return (
    <ItemForm validationSchema={componentSchema} {...form}>
      <ComponentFields loading={form.loading ?? false} isNew={isNew} />
      {children}
    </ItemForm>
  );
}

interface FieldsProps {
  loading: boolean;
  isNew: boolean;
}

function ComponentFields({ loading, isNew }: FieldsProps) {
  const { values, errors, touched, getFieldProps, setFieldValue } =
    useFormikContext<ComponentValues>();
  return (
    <>
      <Field label="Name" required error={touched.name && errors.name}>
        {(control) => <Input {...control} {...getFieldProps('name')} disabled={loading} />}
      </Field>
      <ToggleGroup
        label="Status"
        name="status"
        required
        options={statuses}
        value={loading ? undefined : values.status}
        onChange={(status) => void setFieldValue('status', status)}
        error={touched.status && errors.status}
        disabled={loading}
      />
      <Field label="Description" error={touched.description && errors.description}>
        {(control) => (
          <Textarea
            {...control}
            {...getFieldProps('description')}
            placeholder="Enter description..."
            disabled={loading}
          />
        )}
      </Field>
      <fieldset className="grid gap-4">
        <legend className="mb-3 w-full border-t border-line pt-5 font-semibold text-ink">
          Public page
        </legend>
        <GroupField disabled={loading} />
        <Checkbox
          label="Show uptime"
          {...getFieldProps('showUptime')}
          checked={values.showUptime}
          disabled={loading}
        />
        <StartDateField loading={loading} isNew={isNew} />
        <Checkbox
          label="Only show while affected"
          description="The page hides the component while nothing is wrong with it."
          {...getFieldProps('onlyShowWhenAffected')}
          checked={values.onlyShowWhenAffected}
          disabled={loading}
        />
      </fieldset>
    </>
  );
}

function StartDateField({ loading, isNew }: FieldsProps) {
  const { input, error } = useDateField('startDate');
  return (
    <Field
      label="Uptime counts from"
      description={
        isNew
          ? 'Leave it empty to count from the day of creation.'
          : 'Leave it empty to count all days.'
      }
      error={error}
    >
      {(control) => (
        <Input
          {...control}
          {...input}
          type="date"
          max={lastDay}
          className="w-44!"
          disabled={loading}
        />
      )}
    </Field>
  );
}
