import { Formik, type FormikConfig, type FormikHelpers } from 'formik';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { Schema } from 'yup';
import { useRefreshList } from '@/api/use-list';
import { useMay } from '@/auth/permissions';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Form } from '@/ui/form';
import { FormActions } from '@/ui/form-actions';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';

interface ItemFormProps<Values extends object> {
  initialValues: Values;
  validationSchema: Schema<unknown>;
  /** The initial values are placeholders until the item is loaded. */
  loading?: boolean;
  onSubmit: FormikConfig<Values>['onSubmit'];
  onCancel: () => void;
  submitLabel: string;
  pendingLabel: string;
  /** The fields: inside the formik context. */
  children?: ReactNode;
}

/** The form of a screen that creates or edits an item. */
export function ItemForm<Values extends object>({
  initialValues,
  validationSchema,
  onSubmit,
  children,
  ...actions
}: ItemFormProps<Values>) {
  const mayWrite = useMay('write');
  return (
    <Formik
      initialValues={initialValues}
      validationSchema={validationSchema}
      onSubmit={onSubmit}
      validateOnBlur={false}
    >
      <Form className="grid min-w-0 gap-5">
        {!mayWrite && <Alert>Your role may view this, but not change it.</Alert>}
        <fieldset disabled={!mayWrite} className="contents">
          {children}
        </fieldset>
        <FormFailure />
        {mayWrite ? (
          <FormActions {...actions} />
        ) : (
          <Button className="justify-self-end" onClick={actions.onCancel}>
            Back
          </Button>
        )}
      </Form>
    </Formik>
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

/** Submits an item form: saves, reads the list again and goes back. After a failure the form keeps its values. */
export function useSave<Values>({ save, list, goBack, done, failed }: SaveOptions<Values>) {
  const refreshList = useRefreshList(list);
  return async (values: Values, form: FormikHelpers<Values>): Promise<void> => {
    try {
      await save(values);
    } catch (error) {
      showFailure(form, error, failed);
      return;
    }
    toast.success(done);
    await refreshList();
    // Before the navigation, so that the guard does not ask.
    flushSync(() => form.resetForm());
    goBack();
  };
}
