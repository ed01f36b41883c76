import { Send } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { ApiError } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber } from '@/api/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { formatCount } from '@/ui/format';
import { toast } from '@/ui/toast';

/** Sends the confirmation again to those selected subscribers that are pending. */
export function SendConfirmations({ selected }: { selected: readonly Subscriber[] }) {
  const send = useSendConfirmations();
  const pending = selected.filter(({ status }) => status === 'PENDING');
  if (pending.length === 0) return null;
  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" aria-label="Send Again: Confirmation" onClick={ask}>
          <Send aria-hidden className="stacked:hidden" /> Send Again
        </Button>
      )}
      title={`Send the confirmation to ${formatCount(pending.length, 'subscriber')} again?`}
      description="Selected subscribers that are not pending get nothing."
      confirmLabel="Send"
      variant="primary"
      onConfirm={() => send(pending)}
    />
  );
}

/** After so many equal failures in a row, the further ones would probably fail too. */
const maxEqualFailures = 3;

/**
 * Sends one after the other: the server waits until each has arrived. A failed attempt uses up the
 * mail budget as well.
 */
function useSendConfirmations() {
  const api = useApi();
  const listCache = useListCache();
  return async (subscribers: readonly Subscriber[]) => {
    let sent = 0;
    let untried = subscribers.length;
    let equalFailures = 0;
    let reason: string | undefined;
    for (const { id } of subscribers) {
      untried -= 1;
      try {
        await api.post(endpoints.subscribers.verification(id));
        sent += 1;
        equalFailures = 0;
      } catch (error) {
        const failure = serverMessageOr('The server cannot be reached', error);
        equalFailures = failure === reason ? equalFailures + 1 : 1;
        reason = failure;
        // A limit may be that of one subscriber.
        const isLimit = error instanceof ApiError && error.status === 429;
        if (equalFailures === maxEqualFailures && !isLimit) break;
      }
    }
    const all = formatCount(subscribers.length, 'subscriber');
    const rest = untried > 0 ? `, ${untried} not tried` : '';
    if (reason === undefined) toast.success(`Confirmation sent to ${all}`);
    else toast.error(`Confirmation sent to ${sent} of ${all}${rest}. ${reason}`);
    void listCache.refresh(endpoints.subscribers.list);
  };
}
