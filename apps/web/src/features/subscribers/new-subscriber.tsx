import type { FormikHelpers } from 'formik';
import { Plus } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import type { SubscriberWithSecret } from '@/api/types';
import { endpoints } from '@/paths';
import { allChannels } from '@/shared-features/subscription/channels';
import { withoutDeleted } from '@/shared-features/subscription/scope';
import { ScopeFields } from '@/shared-features/subscription/scope-fields';
import {
  notCreated,
  subscriptionInput,
  subscriptionSchema,
  subscriptionValues,
  type SubscriptionValues,
} from '@/shared-features/subscription/subscription';
import { TargetFields } from '@/shared-features/subscription/target-fields';
import { Button } from '@/ui/button';
import { FormDialog } from '@/ui/form-dialog';
import { showServerMessage } from '@/ui/form-failure';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { SecretDialog } from './secret-dialog';
import { useScopeEntries } from './use-scope-entries';

/**
 * The button of a new subscriber, for users who may write, and its dialogs, which stay open if the
 * right is lost.
 */
export function useNewSubscriber(): { button: ReactNode; dialogs: ReactNode } {
  const api = useApi();
  const listCache = useListCache();
  const opener = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { entries, error: loadError, refresh } = useScopeEntries(open);

  async function create(values: SubscriptionValues, form: FormikHelpers<SubscriptionValues>) {
    try {
      const path = endpoints.subscribers.create;
      const { data, message } = await api.post<SubscriberWithSecret>(
        path,
        subscriptionInput(withoutDeleted(values, entries ?? [])),
      );
      toast.success(message ?? 'Verification email sent successfully');
      setSecret(data.secret ?? undefined);
    } catch (error) {
      showServerMessage(form, error, notCreated);
      return;
    }
    void listCache.refresh(endpoints.subscribers.list);
    setOpen(false);
  }

  const button = (
    <Button ref={opener} variant="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
      <Plus aria-hidden /> New Subscriber
    </Button>
  );
  const dialogs = (
    <>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        returnTo={opener}
        title="Add New Subscriber"
        description="A first message asks the owner of the address to confirm it. Updates follow after that."
        initialValues={entries || loadError ? subscriptionValues('email') : undefined}
        validationSchema={subscriptionSchema}
        onSubmit={create}
        submitLabel="Add Subscriber"
        pendingLabel="Adding..."
      >
        <TargetFields channels={allChannels} />
        {loadError && !entries && (
          <LoadFailure
            title="The components could not be loaded, so the subscriber would receive everything"
            reason={loadError.message}
            onRetry={refresh}
          />
        )}
        <ScopeFields entries={entries ?? []} />
      </FormDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} returnTo={opener} />
    </>
  );
  return { button, dialogs };
}
