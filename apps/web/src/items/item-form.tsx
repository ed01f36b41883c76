import { FormikProvider, useFormik, type FormikHelpers } from 'formik';
import type { ReactNode } from 'react';
import type { Schema } from 'yup';
import { useListCache } from '@/api/list-cache';
import { useMay } from '@/auth/permissions';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Form } from '@/ui/form';
import { FormActions } from '@/ui/form-actions';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { ReadOnlyContext } from '@/ui/read-only';
import { toast } from '@/ui/toast';
import { useUnsavedChanges, type Leave } from '@/ui/unsaved-changes';

type Save<Values> = (values: Values, form: FormikHelpers<Values>, leave: Leave) => Promise<void>;

interface ItemFormProps<Values extends object> {
  initialValues: Values;
  validationSchema: Schema<unknown>;
  /** Whether what the form needs is being loaded. It cannot be submitted meanwhile. */
  loading?: boolean;
  onSubmit: Save<Values>;
  onCancel: () => void;
  submitLabel: string;
  pendingLabel: string;
  /** The fields: inside the formik context. */
  children?: ReactNode;
}

/**
 * The form of a screen that creates or edits an item. Cancel counts as the confirmation that typed
 * text is lost.
 */
export function ItemForm<Values extends object>({
  initialValues,
  validationSchema,
  onSubmit,
  onCancel,
  children,
  ...actions
}: ItemFormProps<Values>) {
  const mayWrite = useMay('write');
  const form = useFormik({
    initialValues,
    validationSchema,
    onSubmit: (values, helpers) => onSubmit(values, helpers, leave),
    validateOnBlur: false,
  });
  const leave = useUnsavedChanges(form.dirty, form.isSubmitting);
  return (
    <FormikProvider value={form}>
      <Form className="grid min-w-0 gap-5">
        {!mayWrite && <Alert>Your role may view this, but not change it.</Alert>}
        <ReadOnlyContext value={!mayWrite}>{children}</ReadOnlyContext>
        <FormFailure />
        {mayWrite ? (
          <FormActions {...actions} onCancel={() => leave(onCancel)} />
        ) : (
          <Button className="justify-self-end" onClick={onCancel}>
            Back
          </Button>
        )}
      </Form>
    </FormikProvider>
  );
}

interface SaveOptions<Values> {
  /** Throws `ApiError`. */
  save: (values: Values) => Promise<unknown>;
  list: string;
  goBack: () => void;
  /** Toasts. */
  done: string;
  failed: string;
}

/**
 * Submits an item form: saves, reads the list again and goes back. After a failure the form keeps
 * its values.
 */
export function useSave<Values>({
  save,
  list,
  goBack,
  done,
  failed,
}: SaveOptions<Values>): Save<Values> {
  const listCache = useListCache();
  return async (values, form, leave) => {
    try {
      await save(values);
    } catch (error) {
      showFailure(form, error, failed);
      return;
    }
    toast.success(done);
    // Not awaited: without a connection it is retried for seconds, but nothing is unsaved any more.
    void listCache.refresh(list);
    leave(goBack);
  };
}
