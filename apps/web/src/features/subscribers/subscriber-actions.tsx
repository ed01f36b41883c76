import { Ellipsis, KeyRound, Pencil, ScrollText, Send } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber, SubscriberStatus } from '@/api/types';
import { useMay } from '@/auth/permissions';
import { endpoints, paths } from '@/paths';
import { Button } from '@/ui/button';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';

export type OpenSubscriberDialog = (
  kind: 'edit' | 'rotate',
  subscriber: Subscriber,
  returnTo: RefObject<HTMLElement | null>,
) => void;

interface Message {
  label: string;
  endpoint: (id: string) => string;
  /** Toasts. */
  sent: string;
  failed: string;
}

/** The message that an operator can send to a subscriber of each status; null for none. */
const messages: Record<SubscriberStatus, Message | null> = {
  PENDING: {
    label: 'Send Confirmation Again',
    endpoint: endpoints.subscribers.verification,
    sent: 'Verification email sent successfully',
    failed: 'The confirmation was not sent',
  },
  SUBSCRIBED: {
    label: 'Send Test Message',
    endpoint: endpoints.subscribers.test,
    sent: 'The test message has arrived',
    failed: 'The test message was not sent',
  },
  UNSUBSCRIBED: null,
};

interface SubscriberActionsProps {
  subscriber: Subscriber;
  onOpen: OpenSubscriberDialog;
}

/** The menu of a row; nothing if it would be empty. */
export function SubscriberActions({ subscriber, onOpen }: SubscriberActionsProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const { isSending, send } = useSend(subscriber);
  const isAdmin = useMay('administer');
  const navigate = useNavigate();
  const { scope, status, target } = subscriber;
  const message = messages[status];
  const hasChoice = scope !== 'INCIDENT';
  const hasSecret = subscriber.channel === 'webhook';
  if (!message && !hasChoice && !hasSecret && !isAdmin) return null;
  return (
    <DropdownMenu
      align="end"
      trigger={
        <Button
          ref={trigger}
          variant="ghost"
          size="icon"
          aria-label={`Actions for ${target}`}
          pending={isSending}
        >
          {!isSending && <Ellipsis aria-hidden />}
        </Button>
      }
    >
      {hasChoice && (
        <MenuItem icon={Pencil} onSelect={() => onOpen('edit', subscriber, trigger)}>
          Edit
        </MenuItem>
      )}
      {message && (
        <MenuItem icon={Send} onSelect={() => send(message)}>
          {message.label}
        </MenuItem>
      )}
      {hasSecret && (
        <MenuItem icon={KeyRound} onSelect={() => onOpen('rotate', subscriber, trigger)}>
          Rotate Secret
        </MenuItem>
      )}
      {isAdmin && (
        <MenuItem icon={ScrollText} onSelect={() => void navigate(paths.history(subscriber.id))}>
          Audit Log
        </MenuItem>
      )}
    </DropdownMenu>
  );
}

function useSend({ id }: Subscriber) {
  const api = useApi();
  const listCache = useListCache();
  const [isSending, run] = usePending();

  async function send({ endpoint, sent, failed }: Message) {
    try {
      const { message } = await api.post(endpoint(id));
      toast.success(message ?? sent);
    } catch (error) {
      toast.error(serverMessageOr(failed, error));
    } finally {
      // A message also says whether others fail.
      void listCache.refresh(endpoints.subscribers.list);
    }
  }

  return { isSending, send: (message: Message) => run(() => send(message)) };
}
