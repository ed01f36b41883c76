import { Formik, useFormikContext, type FormikConfig } from 'formik';
import { useEffect, useState, type ReactNode } from 'react';
import type { Schema } from 'yup';
import { Button } from './button';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog, DialogActions } from './dialog';
import { Form } from './form';
import { FormFailure } from './form-failure';
import { FormSkeleton } from './form-skeleton';

interface FormDialogProps<Values extends object> {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
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

interface Progress {
  dirty: boolean;
  isSubmitting: boolean;
}

const untouched: Progress = { dirty: false, isSubmitting: false };

/** A form in a dialog. It begins anew each time it opens, and asks before what was typed is thrown away. */
export function FormDialog<Values extends object>({
  open,
  onOpenChange,
  title,
  description,
  className,
  initialValues,
  validationSchema,
  onSubmit,
  submitLabel,
  pendingLabel,
  children,
}: FormDialogProps<Values>) {
  const [progress, setProgress] = useState(untouched);
  const [asking, setAsking] = useState(false);

  function close() {
    if (progress.isSubmitting) return;
    if (progress.dirty) setAsking(true);
    else onOpenChange(false);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={title}
      {...(description !== undefined && { description })}
      {...(className !== undefined && { className })}
    >
      {initialValues === undefined ? (
        <FormSkeleton fields={['h-8', 'h-37.5']} />
      ) : (
        <Formik
          initialValues={initialValues}
          validationSchema={validationSchema}
          onSubmit={onSubmit}
          validateOnBlur={false}
        >
          {({ isSubmitting }) => (
            <Form className="grid min-w-0 gap-4">
              <ProgressReport onProgress={setProgress} />
              {children}
              <FormFailure />
              <DialogActions>
                <Button disabled={isSubmitting} onClick={close}>
                  Cancel
                </Button>
                <Button type="submit" variant="primary" pending={isSubmitting}>
                  {isSubmitting ? pendingLabel : submitLabel}
                </Button>
              </DialogActions>
            </Form>
          )}
        </Formik>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Close without saving?"
        description="What you typed will be lost."
        confirmLabel="Discard"
        cancelLabel="Keep Editing"
        onConfirm={() => onOpenChange(false)}
      />
    </Dialog>
  );
}

function ProgressReport({ onProgress }: { onProgress: (progress: Progress) => void }) {
  const { dirty, isSubmitting } = useFormikContext();
  useEffect(() => {
    onProgress({ dirty, isSubmitting });
    return () => onProgress(untouched);
  }, [onProgress, dirty, isSubmitting]);
  return null;
}
