import { createApiClient } from '@/api/client';
import { calls } from '@/paths';
import { SubscriptionDialog } from '@/subscription/subscription-dialog';
import { toast } from '@/ui/toast';

/** Visitors have no account, so there is no token to send. */
const api = createApiClient(() => Promise.resolve(null));

export interface SubscribeDialogProps {
  orgId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function SubscribeDialog({ orgId, open, onOpenChange }: SubscribeDialogProps) {
  async function subscribe(email: string) {
    const answer = await api.post(calls.subscribers.subscribe, { email, orgId });
    if (answer.message) toast.success(answer.message);
  }

  return (
    <SubscriptionDialog
      own
      open={open}
      onOpenChange={onOpenChange}
      title="Subscribe Via Email"
      description="You will be told by mail when something happens. A first mail asks you to confirm your address."
      submitLabel="Subscribe"
      pendingLabel="Subscribing..."
      onSubscribe={subscribe}
    />
  );
}
