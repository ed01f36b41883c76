import type { FormikHelpers } from 'formik';
import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import { isNotFound } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber } from '@/api/types';
import { endpoints } from '@/paths';
import {
  scopeSchema,
  scopeValues,
  withoutDeleted,
  type ScopeValues,
} from '@/shared-features/subscription/scope';
import { ScopeFields } from '@/shared-features/subscription/scope-fields';
import { DeletedAlert } from '@/ui/conflict-alert';
import { Dialog } from '@/ui/dialog';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { scopeChange } from './subscriber';
import { useScopeEntries } from './use-scope-entries';

interface EditSubscriberDialogProps {
  /** As it was read last. */
  subscriber: Subscriber;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/**
 * Changes what a subscriber receives. No event reports changes of a subscriber, so the dialog
 * reads the list again when it opens, and the components, of which a cached list may lack one
 * that the subscriber has chosen. It sends only what was changed in it. A save shows that the
 * subscriber was deleted.
 */
export function EditSubscriberDialog({
  subscriber,
  open,
  onOpenChange,
  returnTo,
}: EditSubscriberDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  const { entries, error: loadError, refresh } = useScopeEntries(open);
  const isRead = useReadOnOpen(open, () =>
    Promise.allSettled([listCache.refresh(endpoints.subscribers.list), refresh()]),
  );
  const [isDeleted, setDeleted] = useState(false);
  const [before, setBefore] = useState<ScopeValues>();
  // The form keeps what it began with.
  if (open && isRead && entries && !loadError && before === undefined)
    setBefore(scopeValues(subscriber, entries));
  if (!open && before !== undefined) setBefore(undefined);

  async function save(values: ScopeValues, form: FormikHelpers<ScopeValues>) {
    if (before === undefined || entries === undefined) return;
    const change = scopeChange(withoutDeleted(values, entries), withoutDeleted(before, entries));
    try {
      await api.patch(endpoints.subscribers.item(subscriber.id), change);
    } catch (error) {
      if (isNotFound(error)) {
        setDeleted(true);
        void listCache.refresh(endpoints.subscribers.list);
        return;
      }
      showFailure(form, error, serverMessageOr('The subscriber was not saved', error));
      return;
    }
    toast.success('Subscriber updated');
    void listCache.refresh(endpoints.subscribers.list);
    onOpenChange(false);
  }

  const dialog = {
    open,
    onOpenChange,
    returnTo,
    title: 'Edit Subscriber',
    description: <span className="wrap-anywhere">{subscriber.target}</span>,
  };
  if (loadError && before === undefined) {
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
      initialValues={before}
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

/** Reads when the dialog opens; returns whether that is done or has failed. */
function useReadOnOpen(open: boolean, read: () => Promise<unknown>): boolean {
  const [isRead, setRead] = useState(false);
  const readNow = useEffectEvent(read);
  useEffect(() => {
    if (!open) return;
    let isCurrent = true;
    void readNow().finally(() => isCurrent && setRead(true));
    return () => {
      isCurrent = false;
      setRead(false);
    };
  }, [open]);
  return isRead;
}
