import { Pencil, Unlink } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AttachedComponent } from '@/api/types';
import { useMay } from '@/auth/permissions';
import { useGroupNameOf } from '@/shared-features/affected/component-groups';
import { GroupName } from '@/shared-features/affected/group-name';
import { StatusButton } from '@/shared-features/affected/status-button';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { componentStatuses, rankOf } from '@/ui/statuses';

interface AttachedComponentsTableProps {
  /** Undefined while loading. */
  components: AttachedComponent[] | undefined;
  /** Opens the dialog that changes the status of components; always the same function. */
  onChange: (components: AttachedComponent[]) => void;
  /** Detaches all components or none, and shows a failure. */
  onDetach: (components: AttachedComponent[]) => Promise<void>;
}

/** The components that an incident affects. */
export function AttachedComponentsTable({
  components,
  onChange,
  onDetach,
}: AttachedComponentsTableProps) {
  const mayWrite = useMay('write');
  const [toDetach, setToDetach] = useState<AttachedComponent[]>([]);
  const downtime =
    toDetach.length === 1
      ? 'Its downtime so far stays in the component’s History; correct it there.'
      : 'The downtime so far stays in the History of each component; correct it there.';
  const columns = useMemo(
    () =>
      columnsFor({
        mayWrite,
        onChange: (attached) => onChange([attached]),
        onDetach: (attached) => setToDetach([attached]),
      }),
    [mayWrite, onChange],
  );

  return (
    <>
      <DataTable
        readOnly={!mayWrite}
        label="Components"
        columns={columns}
        rows={components}
        getRowId={(attached) => attached.componentId}
        rowLabel={nameOf}
        emptyHint="Attach the components that this incident affects."
        bulkActions={(selected) => (
          <>
            <Button size="sm" onClick={() => onChange(selected)}>
              <Pencil aria-hidden /> Change Status
            </Button>
            <Button size="sm" onClick={() => setToDetach(selected)}>
              <Unlink aria-hidden /> Detach
            </Button>
          </>
        )}
      />
      <ConfirmDialog
        open={toDetach.length > 0}
        onOpenChange={(open) => !open && setToDetach([])}
        title={
          toDetach.length === 1 ? 'Detach this component?' : `Detach ${toDetach.length} components?`
        }
        description={`The incident no longer affects the status of what is detached. ${downtime}`}
        confirmLabel="Detach"
        onConfirm={() => onDetach(toDetach)}
      />
    </>
  );
}

const column = columnsOf<AttachedComponent>();

const nameOf = ({ component }: AttachedComponent) => component.name;

/** The name of a component, with that of its group below it. */
function AttachedName({ attached }: { attached: AttachedComponent }) {
  const group = useGroupNameOf(attached.componentId);
  return (
    <>
      <span dir="auto" className="font-medium wrap-anywhere text-ink">
        {nameOf(attached)}
      </span>
      {group !== undefined && <GroupName>{group}</GroupName>}
    </>
  );
}

interface Buttons {
  mayWrite: boolean;
  onChange: (attached: AttachedComponent) => void;
  onDetach: (attached: AttachedComponent) => void;
}

function columnsFor({ mayWrite, onChange, onDetach }: Buttons) {
  return column.columns([
    column.accessor(nameOf, {
      id: 'name',
      header: 'Name',
      cell: ({ row }) => <AttachedName attached={row.original} />,
    }),
    column.accessor(({ status }) => rankOf(componentStatuses, status), {
      id: 'status',
      header: 'Status',
      meta: columnStyles.statusButton,
      cell: ({ row }) => {
        const style = componentStatuses[row.original.status];
        const badge = <StatusBadge {...style} />;
        if (!mayWrite) return badge;
        return (
          <StatusButton
            name={nameOf(row.original)}
            statuses={[style]}
            onClick={() => onChange(row.original)}
          >
            {badge}
          </StatusButton>
        );
      },
    }),
    column.display({
      id: 'detach',
      header: 'Detach',
      meta: { width: 'w-32', writes: true },
      cell: ({ row }) => (
        <Button
          size="sm"
          aria-label={`Detach ${nameOf(row.original)}`}
          onClick={() => onDetach(row.original)}
        >
          <Unlink aria-hidden /> Detach
        </Button>
      ),
    }),
  ]);
}
