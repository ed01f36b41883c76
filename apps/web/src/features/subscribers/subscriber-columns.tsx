import type { Subscriber } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { subscriberStatuses, verification } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { DeleteSubscriber } from './delete-subscriber';

const column = columnsOf<Subscriber>();

export const subscriberColumns = column.columns([
  column.accessor('email', {
    header: 'Email',
    cell: ({ row }) => (
      <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
        {row.original.email}
      </span>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    meta: looks.status,
    cell: ({ row }) => <StatusBadge {...subscriberStatuses[row.original.status]} />,
  }),
  column.accessor('isVerified', {
    header: 'Verified',
    meta: looks.status,
    cell: ({ row }) => (
      <StatusBadge {...verification[row.original.isVerified ? 'verified' : 'notVerified']} />
    ),
  }),
  column.accessor('createdAt', {
    header: 'Subscribed At',
    meta: looks.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: looks.delete,
    cell: ({ row }) => <DeleteSubscriber subscriber={row.original} />,
  }),
]);
