import { Formik, useFormikContext, type FormikConfig } from 'formik';
import type { ReactNode, RefObject } from 'react';
import type { Schema } from 'yup';
import { Button } from './button';
import { DialogActions } from './dialog';
import { Form } from './form';
import { FormFailure } from './form-failure';
import { FormSkeleton } from './form-skeleton';
import { FormProgress, GuardedDialog, useCloseDialog } from './guarded-dialog';

interface FormDialogProps<Values extends object> {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Where the focus goes afterwards, where what opened the dialog is gone by then: an item of a menu. */
  returnTo?: RefObject<HTMLElement | null>;
  className?: string;
  /** Undefined while they load. */
  initialValues: Values | undefined;
  validationSchema: Schema<unknown>;
  onSubmit: FormikConfig<Values>['onSubmit'];
  submitLabel: string;
  pendingLabel: string;
  /** The fields: inside a formik context. */
  children: ReactNode;
}

/** A form in a dialog. It begins anew each time it opens, and asks before what was typed is thrown away. */
export function FormDialog<Values extends object>({
  initialValues,
  validationSchema,
  onSubmit,
  submitLabel,
  pendingLabel,
  children,
  ...dialog
}: FormDialogProps<Values>) {
  return (
    <GuardedDialog {...dialog}>
      {initialValues === undefined ? (
        <FormSkeleton fields={['line', 'text']} />
      ) : (
        <Formik
          initialValues={initialValues}
          validationSchema={validationSchema}
          onSubmit={onSubmit}
          validateOnBlur={false}
        >
          <Form className="grid min-w-0 gap-4">
            <FormProgress />
            {children}
            <FormFailure />
            <Actions submitLabel={submitLabel} pendingLabel={pendingLabel} />
          </Form>
        </Formik>
      )}
    </GuardedDialog>
  );
}

function Actions({ submitLabel, pendingLabel }: { submitLabel: string; pendingLabel: string }) {
  const { isSubmitting } = useFormikContext();
  const close = useCloseDialog();
  return (
    <DialogActions>
      <Button disabled={isSubmitting} onClick={close}>
        Cancel
      </Button>
      <Button type="submit" variant="primary" pending={isSubmitting}>
        {isSubmitting ? pendingLabel : submitLabel}
      </Button>
    </DialogActions>
  );
}
