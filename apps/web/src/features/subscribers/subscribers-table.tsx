import type { Subscriber } from '@/api/types';
import type { List } from '@/api/use-list';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table/data-table';
import { DeleteSubscribers } from './delete-subscribers';
import { subscriberColumns } from './subscriber-columns';

interface SubscribersTableProps {
  list: Pick<List<Subscriber>, 'hasOlder' | 'isLoadingOlder' | 'showOlder'>;
  rows: Subscriber[];
}

export function SubscribersTable({ list, rows }: SubscribersTableProps) {
  return (
    <DataTable
      label="Subscribers"
      columns={subscriberColumns}
      rows={rows}
      getRowId={(subscriber) => subscriber.id}
      rowLabel={(subscriber) => subscriber.email}
      emptyHint="Add an address, or share your status page: its visitors can subscribe by themselves."
      bulkActions={(selected, clear) => (
        <DeleteSubscribers subscribers={selected} onDeleted={clear} />
      )}
      footer={
        list.hasOlder && (
          <Button size="sm" pending={list.isLoadingOlder} onClick={list.showOlder}>
            Show older
          </Button>
        )
      }
    />
  );
}
