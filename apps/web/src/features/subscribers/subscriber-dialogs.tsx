import { useCallback, useState, type ReactNode, type RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { Subscriber, SubscriberWithSecret } from '@/api/types';
import { useList } from '@/api/use-list';
import { endpoints } from '@/paths';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { EditSubscriberDialog } from './edit-subscriber-dialog';
import { SecretDialog } from './secret-dialog';
import type { OpenSubscriberDialog } from './subscriber-actions';

interface OpenedDialog {
  /** Undefined once closed; the subscriber stays, for the secret. */
  kind: Parameters<OpenSubscriberDialog>[0] | undefined;
  subscriber: Subscriber;
  returnTo: RefObject<HTMLElement | null>;
}

/**
 * The dialogs that the menus of the rows open. They are rendered outside of the table, because a
 * row that leaves the page must not take typed text or a secret along, which is shown once. `list`
 * is the path of the rows.
 */
export function useSubscriberDialogs(list: string): {
  open: OpenSubscriberDialog;
  dialogs: ReactNode;
} {
  const [opened, setOpened] = useState<OpenedDialog>();
  const open = useCallback<OpenSubscriberDialog>(
    (kind, subscriber, returnTo) => setOpened({ kind, subscriber, returnTo }),
    [],
  );
  const close = () => setOpened((last) => last && { ...last, kind: undefined });
  return {
    open,
    dialogs: opened && (
      <SubscriberDialogs key={opened.subscriber.id} {...opened} list={list} onClose={close} />
    ),
  };
}

interface SubscriberDialogsProps extends OpenedDialog {
  list: string;
  onClose: () => void;
}

function SubscriberDialogs({ kind, subscriber, returnTo, list, onClose }: SubscriberDialogsProps) {
  // The row may be gone or belong to another choice of the filter.
  const newest = useList<Subscriber>(list).rows?.find(({ id }) => id === subscriber.id);
  const [secret, setSecret] = useState<string>();
  const rotate = useRotate(subscriber, setSecret);
  const onOpenChange = (next: boolean) => !next && onClose();
  return (
    <>
      <EditSubscriberDialog
        subscriber={newest ?? subscriber}
        open={kind === 'edit'}
        onOpenChange={onOpenChange}
        returnTo={returnTo}
      />
      <ConfirmDialog
        open={kind === 'rotate'}
        onOpenChange={onOpenChange}
        title="Rotate the secret?"
        description={`Requests to ${subscriber.target} get a new secret. Secrets replaced within the last 24 hours, at most five, sign them as well.`}
        confirmLabel="Rotate"
        onConfirm={rotate}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} returnTo={returnTo} />
    </>
  );
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
