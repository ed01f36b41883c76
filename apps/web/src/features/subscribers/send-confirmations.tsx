import { Send } from 'lucide-react';
import { useRef, useState } from 'react';
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
  const [progress, setProgress] = useState('');
  const isStopped = useRef(false);
  const pending = selected.filter(({ status }) => status === 'PENDING');
  if (pending.length === 0) return null;

  async function sendToAll() {
    isStopped.current = false;
    await send(pending, (tried) => {
      setProgress(`${tried} of ${pending.length}`);
      return !isStopped.current;
    });
    setProgress('');
  }

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
      onConfirm={sendToAll}
      progress={progress}
      onStop={() => {
        isStopped.current = true;
        // The message that is being sent may take minutes.
        setProgress('Stopping...');
      }}
    />
  );
}

/** After so many equal failures in a row, the further ones would probably fail too. */
const maxEqualFailures = 3;

/** Called after each attempt with the number of attempts so far; false stops the sending. */
type OnTried = (tried: number) => boolean;

/**
 * Sends one after the other: the server waits until each has arrived. A failed attempt uses up the
 * mail budget as well.
 */
function useSendConfirmations() {
  const api = useApi();
  const listCache = useListCache();
  return async (subscribers: readonly Subscriber[], onTried: OnTried) => {
    let sent = 0;
    let tried = 0;
    let equalFailures = 0;
    let reason: string | undefined;
    for (const { id } of subscribers) {
      tried += 1;
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
      if (!onTried(tried)) break;
    }
    const all = formatCount(subscribers.length, 'subscriber');
    const untried = subscribers.length - tried;
    const rest = untried > 0 ? `, ${untried} not tried` : '';
    const outcome = `Confirmation sent to ${sent === subscribers.length ? '' : `${sent} of `}${all}${rest}`;
    if (reason === undefined) toast.success(outcome);
    else toast.error(`${outcome}. ${reason}`);
    void listCache.refresh(endpoints.subscribers.list);
  };
}
