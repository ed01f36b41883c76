import { Formik, type FormikConfig } from 'formik';
import type { ReactNode } from 'react';
import type { Schema } from 'yup';
import { Form } from '@/ui/form';
import { FormActions } from '@/ui/form-actions';
import { FormFailure } from '@/ui/form-failure';
import type { MaintenanceValues } from './maintenance';
import { MaintenanceFields } from './maintenance-fields';

interface MaintenanceFormProps<Values extends MaintenanceValues> {
  initialValues: Values;
  validationSchema: Schema<unknown>;
  onSubmit: FormikConfig<Values>['onSubmit'];
  onCancel: () => void;
  submitLabel: string;
  pendingLabel: string;
  /** What comes after the fields that every maintenance has: inside the formik context. */
  children?: ReactNode;
}

export function MaintenanceForm<Values extends MaintenanceValues>({
  initialValues,
  validationSchema,
  onSubmit,
  onCancel,
  submitLabel,
  pendingLabel,
  children,
}: MaintenanceFormProps<Values>) {
  return (
    <Formik
      initialValues={initialValues}
      validationSchema={validationSchema}
      onSubmit={onSubmit}
      validateOnBlur={false}
    >
      <Form className="grid min-w-0 gap-5">
        <MaintenanceFields />
        {children}
        <FormFailure />
        <FormActions submitLabel={submitLabel} pendingLabel={pendingLabel} onCancel={onCancel} />
      </Form>
    </Formik>
  );
}
