import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { Subscriber } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { NameCell } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import type { ItemKind } from '@/items/item-kind';
import { ListPage } from '@/items/list-page';
import { endpoints } from '@/paths';
import { SubscriptionDialog } from '@/subscription/subscription-dialog';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { Spinner } from '@/ui/spinner';
import { subscriberStatuses, verification } from '@/ui/subscriber-statuses';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { MailSummary } from './mail-summary';

const subscriberKind: ItemKind<Subscriber> = {
  noun: 'subscriber',
  plural: 'subscribers',
  endpoints: endpoints.subscribers,
  nameOf: (subscriber) => subscriber.email,
  listFailed: 'Error while fetching subscribers',
  deletion: {
    one: (email) => `No more updates will be mailed to ${email}.`,
    selected: 'No more updates will be mailed to the selected addresses.',
    failed: 'error',
  },
};

const column = columnsOf<Subscriber>();

const columns = column.columns([
  column.accessor('email', {
    header: 'Email',
    cell: ({ row }) => <NameCell>{row.original.email}</NameCell>,
  }),
  column.accessor('status', {
    header: 'Status',
    meta: columnStyles.status,
    cell: ({ row }) => <StatusBadge {...subscriberStatuses[row.original.status]} />,
  }),
  column.accessor('isVerified', {
    header: 'Verified',
    meta: columnStyles.status,
    cell: ({ row }) => (
      <StatusBadge {...verification[row.original.isVerified ? 'verified' : 'notVerified']} />
    ),
  }),
  column.accessor('createdAt', {
    header: 'Subscribed At',
    meta: columnStyles.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: columnStyles.delete,
    cell: ({ row }) => <DeleteItem kind={subscriberKind} item={row.original} />,
  }),
]);

export function SubscribersPage() {
  return (
    <ListPage
      kind={subscriberKind}
      title="Subscribers"
      action={<NewSubscriber />}
      columns={columns}
      emptyHint="Add an address, or share your status page: its visitors can subscribe by themselves."
      placeholder={
        // As high as the table that replaces it.
        <div className="grid h-78 place-content-center rounded-lg border border-line bg-surface shadow-low">
          <Spinner label="Loading subscribers…" />
        </div>
      }
    >
      <MailSummary />
    </ListPage>
  );
}

function NewSubscriber() {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.subscribers.list);
  const [open, setOpen] = useState(false);

  async function create(email: string) {
    await api.post(endpoints.subscribers.create, { email });
    toast.success('Verification email sent successfully');
    void refreshList();
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
