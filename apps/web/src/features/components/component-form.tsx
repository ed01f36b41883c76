import { Formik, type FormikConfig } from 'formik';
import type { ReactNode } from 'react';
import type { ComponentInput } from '@/api/types';
import { Form } from '@/ui/form';
import { FormActions } from '@/ui/form-actions';
import { FormFailure } from '@/ui/form-failure';
import { ComponentFields } from './component-fields';
import { componentSchema } from './component-schema';

interface ComponentFormProps {
  initialValues: ComponentInput;
  /** What it starts from is still on its way. */
  loading?: boolean;
  onSubmit: FormikConfig<ComponentInput>['onSubmit'];
  onCancel: () => void;
  submitLabel: string;
  pendingLabel: string;
  /** After the fields: inside the formik context. */
  children?: ReactNode;
}

export function ComponentForm({
  initialValues,
  loading = false,
  onSubmit,
  onCancel,
  submitLabel,
  pendingLabel,
  children,
}: ComponentFormProps) {
  return (
    <Formik
      initialValues={initialValues}
      validationSchema={componentSchema}
      onSubmit={onSubmit}
      validateOnBlur={false}
    >
      <Form className="grid min-w-0 gap-5">
        <ComponentFields loading={loading} />
        {children}
        <FormFailure />
        <FormActions
          submitLabel={submitLabel}
          pendingLabel={pendingLabel}
          loading={loading}
          onCancel={onCancel}
        />
      </Form>
    </Formik>
  );
}
