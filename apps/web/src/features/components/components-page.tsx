import { Plus } from 'lucide-react';
import type { Component } from '@/api/types';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { componentStatuses } from '@/ui/statuses';
import { componentKind } from './component';

const column = columnsOf<Component>();
const bySeverity = Object.keys(componentStatuses);

const columns = column.columns([
  column.accessor('name', {
    header: 'Name',
    cell: ({ row }) => <NameCell>{row.original.name}</NameCell>,
  }),
  column.accessor(({ status }) => bySeverity.indexOf(status), {
    id: 'status',
    header: 'Status',
    meta: columnStyles.componentStatus,
    cell: ({ row }) => <StatusBadge {...componentStatuses[row.original.status]} />,
  }),
  column.display({
    id: 'edit',
    header: 'Edit',
    meta: columnStyles.edit,
    cell: ({ row }) => (
      <EditLink name={row.original.name} to={paths.components.edit(row.original.id)} />
    ),
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: columnStyles.delete,
    cell: ({ row }) => <DeleteItem kind={componentKind} item={row.original} />,
  }),
]);

export function ComponentsPage() {
  return (
    <ListPage
      kind={componentKind}
      title="Components"
      action={
        <NewItemLink to={paths.components.create}>
          <Plus aria-hidden /> New Component
        </NewItemLink>
      }
      columns={columns}
      emptyHint="Add what your status page should speak of: a website, an API, a region."
    />
  );
}
