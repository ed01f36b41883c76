import { Formik, useFormikContext, type FormikConfig } from 'formik';
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import type { Schema } from 'yup';
import { Button } from './button';
import { DialogActions } from './dialog';
import { Form } from './form';
import { FormFailure } from './form-failure';
import { FormSkeleton } from './form-skeleton';
import { useCloseDialog } from './dialog-guard';
import { FormProgress } from './form-progress';
import { GuardedDialog } from './guarded-dialog';
import { SubmitButton } from './submit-button';

export interface FormDialogProps<Values extends object> {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Target of the focus afterwards, if the opener is gone by then, like an item of a menu. */
  returnTo?: RefObject<HTMLElement | null>;
  className?: string;
  /** Undefined while loading. */
  initialValues: Values | undefined;
  /**
   * Whether something else that the form needs is being loaded. It cannot be submitted meanwhile.
   */
  loading?: boolean;
  validationSchema: Schema<unknown>;
  onSubmit: FormikConfig<Values>['onSubmit'];
  submitLabel: string;
  pendingLabel: string;
  /** The fields, inside the formik context. */
  children: ReactNode;
}

/** A form in a dialog. It is reset each time it opens, and asks before typed text is discarded. */
export function FormDialog<Values extends object>({
  initialValues,
  validationSchema,
  onSubmit,
  children,
  loading = false,
  submitLabel,
  pendingLabel,
  ...dialog
}: FormDialogProps<Values>) {
  return (
    <GuardedDialog {...dialog}>
      <Content isLoading={initialValues === undefined}>
        {initialValues === undefined ? (
          <FormSkeleton fields={['line', 'text']} />
        ) : (
          <Formik
            initialValues={initialValues}
            validationSchema={validationSchema}
            onSubmit={onSubmit}
            validateOnBlur={false}
          >
            {/* No grid: what sticks would stay in its row. */}
            <Form className="flex flex-col gap-4">
              <FormProgress />
              {children}
              <FormFailure />
              <Actions loading={loading} submitLabel={submitLabel} pendingLabel={pendingLabel} />
            </Form>
          </Formik>
        )}
      </Content>
    </GuardedDialog>
  );
}

interface ContentProps {
  isLoading: boolean;
  children: ReactNode;
}

/** Has the focus while the form is loading, and gives it to the first field afterwards. */
function Content({ isLoading, children }: ContentProps) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLoading || document.activeElement !== content.current) return;
    // Of a group of radio buttons, Tab reaches the chosen one.
    const fields = 'input:not([tabindex="-1"]), select, textarea';
    content.current?.querySelector<HTMLElement>(fields)?.focus();
  }, [isLoading]);
  return (
    <div
      ref={content}
      // The dialog gives the focus to the first part that takes it, which would be its Close
      // button.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={isLoading ? 0 : -1}
      className="min-w-0 outline-none"
    >
      {children}
    </div>
  );
}

interface ActionsProps {
  loading: boolean;
  submitLabel: string;
  pendingLabel: string;
}

function Actions({ loading, submitLabel, pendingLabel }: ActionsProps) {
  const { isSubmitting } = useFormikContext();
  const close = useCloseDialog();
  return (
    <DialogActions>
      <Button disabled={isSubmitting} onClick={close}>
        Cancel
      </Button>
      <SubmitButton label={submitLabel} pendingLabel={pendingLabel} disabled={loading} />
    </DialogActions>
  );
}
