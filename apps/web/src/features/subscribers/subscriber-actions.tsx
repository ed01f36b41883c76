import { Ellipsis, KeyRound, Pencil, ScrollText, Send } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber } from '@/api/types';
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

interface SubscriberActionsProps {
  subscriber: Subscriber;
  onOpen: OpenSubscriberDialog;
}

/** The menu of a row. */
export function SubscriberActions({ subscriber, onOpen }: SubscriberActionsProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const { isTesting, test } = useTest(subscriber);
  const isAdmin = useMay('administer');
  const navigate = useNavigate();
  const { channel, scope, target } = subscriber;
  return (
    <DropdownMenu
      align="end"
      trigger={
        <Button
          ref={trigger}
          variant="ghost"
          size="icon"
          aria-label={`Actions for ${target}`}
          pending={isTesting}
        >
          {!isTesting && <Ellipsis aria-hidden />}
        </Button>
      }
    >
      {scope !== 'INCIDENT' && (
        <MenuItem icon={Pencil} onSelect={() => onOpen('edit', subscriber, trigger)}>
          Edit
        </MenuItem>
      )}
      <MenuItem icon={Send} onSelect={test}>
        Send Test Message
      </MenuItem>
      {channel === 'webhook' && (
        <MenuItem icon={KeyRound} onSelect={() => onOpen('rotate', subscriber, trigger)}>
          Rotate Secret
        </MenuItem>
      )}
      {isAdmin && (
        <MenuItem icon={ScrollText} onSelect={() => void navigate(paths.history(subscriber.id))}>
          Changes
        </MenuItem>
      )}
    </DropdownMenu>
  );
}

function useTest({ id }: Subscriber) {
  const api = useApi();
  const listCache = useListCache();
  const [isTesting, run] = usePending();

  async function test() {
    try {
      const { message } = await api.post(endpoints.subscribers.test(id));
      toast.success(message ?? 'The test message has arrived');
    } catch (error) {
      toast.error(serverMessageOr('The test message was not sent', error));
    } finally {
      // A test also says whether messages fail.
      void listCache.refresh(endpoints.subscribers.list);
    }
  }

  return { isTesting, test: () => run(test) };
}
