import { Formik, type FormikConfig } from 'formik';
import type { ReactNode } from 'react';
import type { Schema } from 'yup';
import { Form } from '@/ui/form';
import { FormActions } from '@/ui/form-actions';
import { FormFailure } from '@/ui/form-failure';
import type { IncidentValues } from './incident';
import { IncidentFields } from './incident-fields';

interface IncidentFormProps<Values extends IncidentValues> {
  initialValues: Values;
  validationSchema: Schema<unknown>;
  onSubmit: FormikConfig<Values>['onSubmit'];
  onCancel: () => void;
  submitLabel: string;
  pendingLabel: string;
  /** What comes after the fields that every incident has: inside the formik context. */
  children?: ReactNode;
}

export function IncidentForm<Values extends IncidentValues>({
  initialValues,
  validationSchema,
  onSubmit,
  onCancel,
  submitLabel,
  pendingLabel,
  children,
}: IncidentFormProps<Values>) {
  return (
    <Formik
      initialValues={initialValues}
      validationSchema={validationSchema}
      onSubmit={onSubmit}
      validateOnBlur={false}
    >
      <Form className="grid min-w-0 gap-5">
        <IncidentFields />
        {children}
        <FormFailure />
        <FormActions submitLabel={submitLabel} pendingLabel={pendingLabel} onCancel={onCancel} />
      </Form>
    </Formik>
  );
}
