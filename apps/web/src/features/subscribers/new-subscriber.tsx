import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { calls } from '@/paths';
import { SubscriptionDialog } from '@/subscription/subscription-dialog';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';

export function NewSubscriber({ onCreated }: { onCreated: () => void }) {
  const api = useApi();
  const [open, setOpen] = useState(false);

  async function create(email: string) {
    await api.post(calls.subscribers.create, { email });
    toast.success('Verification email sent successfully');
    onCreated();
  }

  return (
    <>
      <Button variant="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New Subscriber
      </Button>
      <SubscriptionDialog
        open={open}
        onOpenChange={setOpen}
        title="Add New Subscriber"
        description="A first mail asks whoever has the address to confirm it. Updates follow once that is done."
        submitLabel="Add Subscriber"
        pendingLabel="Adding..."
        onSubscribe={create}
      />
    </>
  );
}
