import type { FormikHelpers } from 'formik';
import type { RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { endpoints } from '@/paths';
import { scopeInput, scopeSchema, scopeValues, type ScopeValues } from '@/subscription/scope';
import { ScopeFields } from '@/subscription/scope-fields';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import { useScopeEntries } from './use-scope-entries';

interface EditSubscriberDialogProps {
  subscriber: Subscriber;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Changes what a subscriber receives. */
export function EditSubscriberDialog({ subscriber, ...dialog }: EditSubscriberDialogProps) {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.subscribers.list);
  const entries = useScopeEntries(dialog.open);

  async function save(values: ScopeValues, form: FormikHelpers<ScopeValues>) {
    try {
      await api.patch(endpoints.subscribers.item(subscriber.id), scopeInput(values));
    } catch (error) {
      showFailure(form, error, serverMessageOr('The subscriber was not saved', error));
      return;
    }
    toast.success('Subscriber Updated');
    void refreshList();
    dialog.onOpenChange(false);
  }

  return (
    <FormDialog
      {...dialog}
      title="Edit Subscriber"
      description={<span className="wrap-anywhere">{subscriber.target}</span>}
      initialValues={entries && scopeValues(subscriber, entries)}
      validationSchema={scopeSchema}
      onSubmit={save}
      submitLabel="Save"
      pendingLabel="Saving..."
    >
      <ScopeFields entries={entries ?? []} />
    </FormDialog>
  );
}
