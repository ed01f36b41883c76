import { useFormikContext } from 'formik';
import type { ComponentProps } from 'react';
import type { ComponentInput } from '@/api/types';
import { ItemForm } from '@/items/item-form';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import { componentSchema } from './component';

const statuses = statusOptions(componentStatuses);

type ComponentFormProps = Omit<ComponentProps<typeof ItemForm<ComponentInput>>, 'validationSchema'>;

export function ComponentForm({ children, ...form }: ComponentFormProps) {
  return (
    <ItemForm validationSchema={componentSchema} {...form}>
      <ComponentFields loading={form.loading ?? false} />
      {children}
    </ItemForm>
  );
}

function ComponentFields({ loading }: { loading: boolean }) {
  const { values, errors, touched, getFieldProps, setFieldValue } =
    useFormikContext<ComponentInput>();
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
    </>
  );
}
