import { Formik, type FormikHelpers } from 'formik';
import type { ReactNode } from 'react';
import type { ObjectSchema } from 'yup';
import { formErrors, reasonOutsideFields } from '@/api/form-errors';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Form } from '@/ui/form';
import { useLastStatus } from '@/ui/form-failure';
import { FormProgress } from '@/ui/form-progress';
import { SubmitButton } from '@/ui/submit-button';
import { failureText } from './failure-text';

interface IdentityFormProps<Values extends object> {
  initialValues: Values;
  schema: ObjectSchema<Values>;
  /** Throws `ApiError`, which the form shows. The typed values stay, unless `form` resets them. */
  onSubmit: (values: Values, form: FormikHelpers<Values>) => Promise<void>;
  submitLabel: string;
  pendingLabel: string;
  variant?: 'primary' | 'secondary' | 'danger';
  /**
   * Width of the button: the whole form's on the sign-in page, or its own at the end of the form.
   */
  layout?: 'wide' | 'end';
  /** Adds Cancel before the button that submits. */
  onCancel?: () => void;
  children: ReactNode;
}

export function IdentityForm<Values extends object>({
  initialValues,
  schema,
  onSubmit,
  submitLabel,
  pendingLabel,
  variant = 'primary',
  layout = 'wide',
  onCancel,
  children,
}: IdentityFormProps<Values>) {
  async function submit(values: Values, helpers: FormikHelpers<Values>) {
    helpers.setStatus(undefined);
    try {
      await onSubmit(schema.cast(values) as Values, helpers);
    } catch (error) {
      helpers.setErrors(formErrors<Values>(error));
      helpers.setStatus(reasonOutsideFields(error, initialValues, failureText));
    }
  }

  return (
    <Formik<Values>
      initialValues={initialValues}
      validationSchema={schema}
      validateOnBlur={false}
      onSubmit={submit}
    >
      {({ isSubmitting }) => (
        <Form className="grid gap-4">
          <FormProgress />
          <Failure />
          {children}
          <div className={layout === 'wide' ? 'grid' : 'flex flex-wrap justify-end gap-2'}>
            {onCancel && (
              <Button variant="ghost" disabled={isSubmitting} onClick={onCancel}>
                Cancel
              </Button>
            )}
            <SubmitButton
              label={submitLabel}
              pendingLabel={pendingLabel}
              variant={variant}
              size={layout === 'wide' ? 'lg' : 'md'}
            />
          </div>
        </Form>
      )}
    </Formik>
  );
}

/** Why the last submission has failed, unless fields show it. */
function Failure() {
  const status = useLastStatus();
  return typeof status === 'string' && <Alert kind="error">{status}</Alert>;
}
