import { Ellipsis, KeyRound, Pencil, ScrollText, Send } from 'lucide-react';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber, SubscriberWithSecret } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { useIsAdmin } from '@/auth/use-is-admin';
import { endpoints, paths } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import { toast } from '@/ui/toast';
import { EditSubscriberDialog } from './edit-subscriber-dialog';
import { SecretDialog } from './secret-dialog';

/** The menu of a row. */
export function SubscriberActions({ subscriber }: { subscriber: Subscriber }) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'edit' | 'rotate'>();
  const [secret, setSecret] = useState<string>();
  const { isTesting, test } = useTest(subscriber);
  const rotate = useRotate(subscriber, setSecret);
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const { channel, scope, target } = subscriber;
  return (
    <>
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
          <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
            Edit
          </MenuItem>
        )}
        <MenuItem icon={Send} onSelect={() => void test()}>
          Send Test Message
        </MenuItem>
        {channel === 'webhook' && (
          <MenuItem icon={KeyRound} onSelect={() => setOpen('rotate')}>
            Rotate Secret
          </MenuItem>
        )}
        {isAdmin && (
          <MenuItem icon={ScrollText} onSelect={() => void navigate(paths.history(subscriber.id))}>
            Changes
          </MenuItem>
        )}
      </DropdownMenu>
      <EditSubscriberDialog
        subscriber={subscriber}
        open={open === 'edit'}
        onOpenChange={(next) => !next && setOpen(undefined)}
        returnTo={trigger}
      />
      <ConfirmDialog
        open={open === 'rotate'}
        onOpenChange={(next) => !next && setOpen(undefined)}
        title="Rotate the secret?"
        description={`Requests to ${target} get a new secret. For 24 hours they carry the signatures of both.`}
        confirmLabel="Rotate"
        onConfirm={rotate}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} returnTo={trigger} />
    </>
  );
}

function useTest({ id }: Subscriber) {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.subscribers.list);
  const [isTesting, setIsTesting] = useState(false);

  async function test() {
    setIsTesting(true);
    try {
      const { message } = await api.post(endpoints.subscribers.test(id));
      toast.success(message ?? 'The test message has arrived');
    } catch (error) {
      toast.error(serverMessageOr('The test message was not sent', error));
    } finally {
      setIsTesting(false);
      // A test also says whether messages fail.
      void refreshList();
    }
  }

  return { isTesting, test };
}

function useRotate({ id }: Subscriber, onSecret: (secret: string | undefined) => void) {
  const api = useApi();
  return async () => {
    try {
      const { data } = await api.post<SubscriberWithSecret>(endpoints.subscribers.rotateSecret(id));
      onSecret(data.secret ?? undefined);
    } catch (error) {
      toast.error(serverMessageOr('The secret was not changed', error));
    }
  };
}
