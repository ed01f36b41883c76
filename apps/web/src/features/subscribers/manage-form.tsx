import { Formik, type FormikHelpers } from 'formik';
import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { StatusSnapshot, Subscriber } from '@/api/types';
import { endpoints } from '@/paths';
import {
  scopeEntries,
  scopeInput,
  scopeSchema,
  scopeValues,
  type ScopeValues,
} from '@/shared-features/subscription/scope';
import { ScopeFields } from '@/shared-features/subscription/scope-fields';
import { Form } from '@/ui/form';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { SubmitButton } from '@/ui/submit-button';
import { toast } from '@/ui/toast';
import type { ManageLink } from './link-query';

interface ManageFormProps {
  link: ManageLink;
  subscriber: Subscriber;
  snapshot: StatusSnapshot;
  /** A button beside Save. */
  children: ReactNode;
}

/** What the subscriber of a manage link receives. */
export function ManageForm({ link, subscriber, snapshot, children }: ManageFormProps) {
  const api = useApi();
  // The choice must not change while the form is open.
  const [entries] = useState(() => scopeEntries(snapshot));

  async function save(values: ScopeValues, form: FormikHelpers<ScopeValues>) {
    try {
      const body = { ...link, ...scopeInput(values) };
      const { data } = await api.patch<Subscriber>(endpoints.subscribers.subscription, body);
      form.resetForm({ values: scopeValues(data, entries) });
    } catch (error) {
      showFailure(form, error, serverMessageOr('The subscription was not saved', error));
      return;
    }
    toast.success('Subscription updated');
  }

  return (
    <Formik
      initialValues={scopeValues(subscriber, entries)}
      validationSchema={scopeSchema}
      onSubmit={save}
      validateOnBlur={false}
    >
      <Form className="grid min-w-0 gap-5">
        <ScopeFields entries={entries} />
        <FormFailure />
        <div className="flex flex-wrap justify-end gap-2">
          {children}
          <SubmitButton label="Save" pendingLabel="Saving..." />
        </div>
      </Form>
    </Formik>
  );
}
