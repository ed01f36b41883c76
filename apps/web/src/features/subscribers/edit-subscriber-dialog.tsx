import type { FormikHelpers } from 'formik';
import { useState, type RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import { ApiError } from '@/api/error';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { endpoints } from '@/paths';
import { scopeInput, scopeSchema, scopeValues, type ScopeValues } from '@/subscription/scope';
import { ScopeFields } from '@/subscription/scope-fields';
import { DeletedAlert } from '@/ui/conflict-alert';
import { Dialog } from '@/ui/dialog';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { useScopeEntries } from './use-scope-entries';

interface EditSubscriberDialogProps {
  subscriber: Subscriber;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Changes what a subscriber receives. No event reports the deletion of a subscriber, so a save shows it. */
export function EditSubscriberDialog({
  subscriber,
  open,
  onOpenChange,
  returnTo,
}: EditSubscriberDialogProps) {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.subscribers.list);
  const { entries, error: loadError, refresh } = useScopeEntries(open);
  const [isDeleted, setDeleted] = useState(false);

  async function save(values: ScopeValues, form: FormikHelpers<ScopeValues>) {
    try {
      await api.patch(endpoints.subscribers.item(subscriber.id), scopeInput(values));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        setDeleted(true);
        return;
      }
      showFailure(form, error, serverMessageOr('The subscriber was not saved', error));
      return;
    }
    toast.success('Subscriber Updated');
    void refreshList();
    onOpenChange(false);
  }

  const dialog = {
    open,
    onOpenChange,
    returnTo,
    title: 'Edit Subscriber',
    description: <span className="wrap-anywhere">{subscriber.target}</span>,
  };
  if (loadError && entries === undefined) {
    return (
      <Dialog {...dialog}>
        <LoadFailure
          title="The components could not be loaded"
          reason={loadError.message}
          onRetry={refresh}
        />
      </Dialog>
    );
  }
  return (
    <FormDialog
      {...dialog}
      initialValues={entries && scopeValues(subscriber, entries)}
      validationSchema={scopeSchema}
      onSubmit={save}
      submitLabel="Save"
      pendingLabel="Saving..."
    >
      <ScopeFields entries={entries ?? []} />
      {isDeleted && <DeletedAlert noun="subscriber" />}
    </FormDialog>
  );
}
