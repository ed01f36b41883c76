import type { AttachedComponent } from '@/api/types';
import { Unlink } from 'lucide-react';
import { useMemo, useState } from 'react';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { componentStatuses } from '@/ui/statuses';

interface AttachedComponentsTableProps {
  /** Undefined while they load. */
  components: AttachedComponent[] | undefined;
  /** Detaches all of them or none; tells about failure by itself. */
  onDetach: (components: AttachedComponent[]) => Promise<void>;
}

export function AttachedComponentsTable({ components, onDetach }: AttachedComponentsTableProps) {
  const [leaving, setLeaving] = useState<AttachedComponent[]>([]);
  const columns = useMemo(() => columnsFor((attached) => setLeaving([attached])), []);

  return (
    <>
      <DataTable
        label="Components"
        columns={columns}
        rows={components}
        getRowId={(attached) => attached.componentId}
        rowLabel={(attached) => attached.component.name}
        emptyHint="Attach the components that this incident affects."
        bulkActions={(selected) => (
          <Button size="sm" onClick={() => setLeaving(selected)}>
            <Unlink aria-hidden /> Detach
          </Button>
        )}
      />
      <ConfirmDialog
        open={leaving.length > 0}
        onOpenChange={(open) => !open && setLeaving([])}
        title={
          leaving.length === 1 ? 'Detach this component?' : `Detach ${leaving.length} components?`
        }
        description="The incident no longer holds a status on what is detached."
        confirmLabel="Detach"
        onConfirm={() => onDetach(leaving)}
      />
    </>
  );
}

const column = columnsOf<AttachedComponent>();

function columnsFor(detach: (attached: AttachedComponent) => void) {
  return column.columns([
    column.accessor((attached) => attached.component.name, {
      id: 'name',
      header: 'Name',
      cell: ({ row }) => (
        <span dir="auto" className="font-medium wrap-anywhere text-ink">
          {row.original.component.name}
        </span>
      ),
    }),
    column.accessor('status', {
      header: 'Status',
      meta: looks.componentStatus,
      cell: ({ row }) => <StatusBadge {...componentStatuses[row.original.status]} />,
    }),
    column.display({
      id: 'detach',
      header: 'Detach',
      meta: { width: 'w-32' },
      cell: ({ row }) => (
        <Button
          size="sm"
          aria-label={`Detach ${row.original.component.name}`}
          onClick={() => detach(row.original)}
        >
          <Unlink aria-hidden /> Detach
        </Button>
      ),
    }),
  ]);
}
