import { Pencil } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { Component } from '@/api/types';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { buttonVariants } from '@/ui/button-variants';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { componentStatuses } from '@/ui/statuses';
import { DeleteComponent } from './delete-component';

const column = columnsOf<Component>();
const byBadness = Object.keys(componentStatuses);

export const componentColumns = column.columns([
  column.accessor('name', {
    header: 'Name',
    cell: ({ row }) => (
      <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
        {row.original.name}
      </span>
    ),
  }),
  column.accessor(({ status }) => byBadness.indexOf(status), {
    id: 'status',
    header: 'Status',
    meta: looks.componentStatus,
    cell: ({ row }) => <StatusBadge {...componentStatuses[row.original.status]} />,
  }),
  column.display({
    id: 'edit',
    header: 'Edit',
    meta: looks.edit,
    cell: ({ row }) => (
      <Link
        to={paths.components.edit(row.original.id)}
        aria-label={`Edit ${row.original.name}`}
        className={buttonVariants({ variant: 'ghost', size: 'icon' })}
      >
        <Pencil aria-hidden />
      </Link>
    ),
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: looks.delete,
    cell: ({ row }) => <DeleteComponent component={row.original} />,
  }),
]);
