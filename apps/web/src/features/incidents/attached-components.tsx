import { Pencil, Plus, Unlink } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { AttachedComponent } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useMay } from '@/auth/permissions';
import { Permitted } from '@/auth/permitted';
import { removeRows } from '@/items/remove-rows';
import { endpoints } from '@/paths';
import { componentsFailed } from '@/shared-features/affected/affected';
import { useGroupNameOf } from '@/shared-features/affected/component-groups';
import { GroupName } from '@/shared-features/affected/group-name';
import { StatusButton } from '@/shared-features/affected/status-button';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { LoadFailure } from '@/ui/load-failure';
import { componentStatuses, rankOf } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { AttachComponentsDialog } from './attach-components-dialog';
import { ChangeImpactDialog } from './change-impact-dialog';

interface AttachedComponentsProps {
  incidentId: string;
  /** Called after components were attached, changed or detached. */
  onChange: () => void;
}

export function AttachedComponents({ incidentId, onChange }: AttachedComponentsProps) {
  const api = useApi();
  const attached = useQuery<AttachedComponent[]>(endpoints.incidents.components(incidentId));
  const [attaching, setAttaching] = useState(false);
  const [changing, setChanging] = useState<AttachedComponent[]>([]);
  useErrorToast(attached.error !== undefined, componentsFailed);

  function changed() {
    void attached.refresh();
    onChange();
  }

  async function detach(components: AttachedComponent[]) {
    dismissFailureToast();
    try {
      await removeRows(
        components.map(({ componentId }) => componentId),
        (componentIds) => api.post(endpoints.incidents.detach(incidentId), { componentIds }),
      );
      toast.success('Component(s) detached successfully');
    } catch (error) {
      showFailureToast('Failed to detach components', error);
    }
    changed();
  }

  return (
    <div className="grid min-w-0 gap-3">
      <Permitted>
        <Button className="justify-self-end" onClick={() => setAttaching(true)}>
          <Plus aria-hidden /> Attach
        </Button>
      </Permitted>
      {attached.error && attached.data === undefined ? (
        <LoadFailure
          title="The components could not be loaded"
          reason={attached.error.message}
          onRetry={attached.refresh}
        />
      ) : (
        <AttachedComponentsTable
          components={attached.data}
          onChange={setChanging}
          onDetach={detach}
        />
      )}
      {attaching && (
        <AttachComponentsDialog
          incidentId={incidentId}
          onClose={() => setAttaching(false)}
          onAttached={changed}
        />
      )}
      {changing.length > 0 && (
        <ChangeImpactDialog
          incidentId={incidentId}
          components={changing}
          onClose={() => setChanging([])}
          onChanged={changed}
        />
      )}
    </div>
  );
}

interface AttachedComponentsTableProps {
  /** Undefined while loading. */
  components: AttachedComponent[] | undefined;
  /** Opens the dialog that changes the status of components; always the same function. */
  onChange: (components: AttachedComponent[]) => void;
  /** Detaches all components or none, and shows a failure. */
  onDetach: (components: AttachedComponent[]) => Promise<void>;
}

function AttachedComponentsTable({ components, onChange, onDetach }: AttachedComponentsTableProps) {
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
