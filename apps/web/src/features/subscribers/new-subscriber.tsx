import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { SubscriberInput, SubscriberWithSecret } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { endpoints } from '@/paths';
import { allChannels } from '@/subscription/channels';
import { SubscriptionDialog } from '@/subscription/subscription-dialog';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';
import { SecretDialog } from './secret-dialog';
import { useScopeEntries } from './use-scope-entries';

const [first = 'email', ...others] = allChannels;

export function NewSubscriber() {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.subscribers.list);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { entries, error, refresh } = useScopeEntries(open);

  async function create(subscriber: SubscriberInput) {
    const path = endpoints.subscribers.create;
    const { data, message } = await api.post<SubscriberWithSecret>(path, subscriber);
    toast.success(message ?? 'Verification email sent successfully');
    setSecret(data.secret ?? undefined);
    void refreshList();
  }

  return (
    <>
      <Button ref={button} variant="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New Subscriber
      </Button>
      <SubscriptionDialog
        open={open}
        onOpenChange={setOpen}
        returnTo={button}
        title="Add New Subscriber"
        description={
          <>
            A first message asks the owner of the address to confirm it. Updates follow after that.
            {error && !entries && (
              <span role="alert" className="mt-2 block text-ink">
                The components could not be loaded, so that there is no choice: {error.message}{' '}
                <Button size="sm" onClick={refresh}>
                  Try Again
                </Button>
              </span>
            )}
          </>
        }
        submitLabel="Add Subscriber"
        pendingLabel="Adding..."
        channels={[first, ...others]}
        entries={entries ?? []}
        startsOnAddress
        onSubscribe={create}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} returnTo={button} />
    </>
  );
}
