import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import type { Subscriber } from '@/api/types';
import { NameCell } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { channelNames } from '@/shared-features/subscription/channels';
import { StatusBadge } from '@/ui/badge';
import { cn } from '@/ui/cn';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { formatInstant } from '@/ui/datetime';
import { subscriberStatuses, verification } from '@/ui/subscriber-statuses';
import { Timestamp } from '@/ui/timestamp';
import { ScopeCell } from './scope-cell';
import { subscriberKind, scopeText } from './subscriber';
import { SubscriberActions, type OpenSubscriberDialog } from './subscriber-actions';

const column = columnsOf<Subscriber>();

const isMail = ({ channel }: Subscriber) => channel === 'email';

export const subscriberColumns = (onOpen: OpenSubscriberDialog) =>
  column.columns([
    column.accessor('target', {
      header: ({ table }) => (table.options.data.every(isMail) ? 'Email' : 'Email or URL'),
      cell: ({ row: { original } }) => (
        <>
          <NameCell>{original.target}</NameCell>
          {original.failing && <Failing failing={original.failing} />}
        </>
      ),
    }),
    column.accessor(({ channel }) => channelNames[channel], {
      id: 'channel',
      header: 'Channel',
      meta: columnStyles.channel,
    }),
    column.accessor((subscriber) => scopeText(subscriber), {
      id: 'scope',
      header: 'Updates about',
      // The cells show names that are read later.
      enableSorting: false,
      meta: columnStyles.scope,
      cell: ({ row }) => <ScopeCell subscriber={row.original} />,
    }),
    column.accessor('status', {
      header: 'Status',
      meta: columnStyles.status,
      cell: ({ row }) => <StatusBadge {...subscriberStatuses[row.original.status]} />,
    }),
    column.accessor('isVerified', {
      header: 'Verified',
      meta: columnStyles.verified,
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
      id: 'actions',
      header: 'Actions',
      meta: columnStyles.menu,
      cell: ({ row }) => <SubscriberActions subscriber={row.original} onOpen={onOpen} />,
    }),
    column.display({
      id: 'delete',
      header: 'Delete',
      meta: columnStyles.delete,
      cell: ({ row }) => <DeleteItem kind={subscriberKind} item={row.original} />,
    }),
  ]);

/** Why and since when messages fail: two lines, and all of them once it is pressed. */
function Failing({ failing }: { failing: NonNullable<Subscriber['failing']> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      className="flex max-w-full gap-1.5 rounded-sm text-left text-xs text-major"
      onClick={() => setIsOpen(!isOpen)}
    >
      <OctagonX aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className={cn('min-w-0 wrap-anywhere', !isOpen && 'line-clamp-2')}>
        Failing since {formatInstant(failing.since)}: {failing.reason}
      </span>
    </button>
  );
}
