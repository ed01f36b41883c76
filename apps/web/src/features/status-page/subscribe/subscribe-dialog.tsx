import { createApiClient } from '@/api/client';
import { endpoints } from '@/paths';
import { SubscriptionDialog } from '@/subscription/subscription-dialog';
import { toast } from '@/ui/toast';

/** Visitors have no token. */
const api = createApiClient(() => Promise.resolve(null));

export interface SubscribeDialogProps {
  orgId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function SubscribeDialog({ orgId, open, onOpenChange }: SubscribeDialogProps) {
  async function subscribe(email: string) {
    const response = await api.post(endpoints.subscribers.subscribe, { email, orgId });
    if (response.message) toast.success(response.message);
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
