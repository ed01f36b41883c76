import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { toast } from '@/ui/toast';
import type { ManageLink } from './link-query';

interface UnsubscribeButtonProps {
  link: ManageLink;
  target: string;
  onEnd: () => void;
}

/** Ends the subscription of a manage link, after a confirmation. */
export function UnsubscribeButton({ link, target, onEnd }: UnsubscribeButtonProps) {
  const api = useApi();

  async function unsubscribe() {
    try {
      await api.post(endpoints.subscribers.unsubscribe, link);
      toast.success('Successfully unsubscribed!');
      onEnd();
    } catch (error) {
      toast.error(serverMessageOr('Unable to process unsubscribe request', error));
    }
  }

  return (
    <ConfirmButton
      button={(ask) => <Button onClick={ask}>Unsubscribe</Button>}
      title="Unsubscribe?"
      description={`No more updates will be sent to ${target}.`}
      confirmLabel="Unsubscribe"
      onConfirm={unsubscribe}
    />
  );
}
