import { Pencil } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Component, ComponentGroup } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { AuditLink } from '@/auth/audit-link';
import { useMay } from '@/auth/permissions';
import { NameCell } from '@/items/cells';
import { DeleteItem, DeleteQuestion, DeleteSelected } from '@/items/delete-items';
import { useTableMemory } from '@/items/use-table-memory';
import { endpoints } from '@/paths';
import { useGroups } from '@/shared-features/affected/component-groups';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { worstStatus } from '@/ui/status-styles';
import { ComponentBadges, severityOf } from './component-badges';
import { displays, groupKind } from './group';
import { EditGroupDialog } from './group-dialog';

/** The groups of the organisation's components; nothing without any. */
export function GroupsSection() {
  const groups = useGroups();
  const isEmpty = groups.rows?.length === 0;
  // A status and a number need all components of a group, not only the newest.
  const components = useQuery<Component[]>(
    groups.rows && !isEmpty ? endpoints.components.list : null,
  );
  const memory = useTableMemory(endpoints.componentGroups.list);
  const mayWrite = useMay('write');
  const [edited, setEdited] = useState<string>();
  const columns = useMemo(() => groupColumns(setEdited), []);
  const rows = useMemo(
    () => rowsOf(groups.rows, isEmpty ? [] : components.data),
    [groups.rows, isEmpty, components.data],
  );
  // The dialog stays open when another user deletes the last group.
  if (isEmpty && edited === undefined) return null;
  return (
    <section aria-labelledby="groups" className="grid min-w-0 gap-3">
      <h2 id="groups" className="text-xl font-semibold text-ink">
        Groups
      </h2>
      {groups.error && groups.rows === undefined ? (
        <LoadFailure
          title="The groups could not be loaded"
          reason={groups.error.message}
          onRetry={groups.refresh}
        />
      ) : components.error && components.data === undefined ? (
        <LoadFailure
          title="The components of the groups could not be loaded"
          reason={components.error.message}
          onRetry={components.refresh}
        />
      ) : (
        <DeleteQuestion kind={groupKind}>
          <DataTable
            wide
            memory={memory}
            readOnly={!mayWrite}
            label="Groups"
            columns={columns}
            rows={rows}
            getRowId={(group) => group.id}
            rowLabel={groupKind.nameOf}
            emptyHint=""
            bulkActions={(selected, clear) => (
              <DeleteSelected kind={groupKind} items={selected} onDeleted={clear} />
            )}
          />
        </DeleteQuestion>
      )}
      {edited !== undefined && <EditGroupDialog id={edited} onClose={() => setEdited(undefined)} />}
    </section>
  );
}

interface GroupRow extends ComponentGroup {
  members: Component[];
}

/**
 * The groups with their components, of which they have the status; undefined while either
 * is loading.
 */
function rowsOf(
  groups: readonly ComponentGroup[] | undefined,
  components: readonly Component[] | undefined,
): GroupRow[] | undefined {
  if (components === undefined) return undefined;
  return groups?.map((group) => {
    const members = components.filter(({ groupId }) => groupId === group.id);
    return {
      ...group,
      members,
      status: worstStatus(members),
      underMaintenance: members.some(({ underMaintenance }) => underMaintenance),
    };
  });
}

const column = columnsOf<GroupRow>();

function groupColumns(edit: (id: string) => void) {
  return column.columns([
    column.accessor('name', {
      header: 'Name',
      cell: ({ row }) => <NameCell>{row.original.name}</NameCell>,
    }),
    column.accessor(severityOf, {
      id: 'status',
      header: 'Status',
      meta: columnStyles.componentStatus,
      cell: ({ row }) => <ComponentBadges condition={row.original} />,
    }),
    column.accessor(({ members }) => members.length, {
      id: 'components',
      header: 'Components',
      meta: columnStyles.status,
    }),
    column.accessor(({ display }) => displays[display], {
      id: 'display',
      header: 'On the status page',
      meta: columnStyles.componentStatus,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      // Two buttons.
      meta: { ...columnStyles.editDialog, width: 'w-22 pointer-coarse:w-26' },
      cell: ({ row }) => (
        <span className="flex stacked:gap-3">
          <IconButton
            label={`Edit ${row.original.name}`}
            icon={<Pencil aria-hidden />}
            onClick={() => edit(row.original.id)}
          />
          <AuditLink id={row.original.id} iconLabel={`Audit log of ${row.original.name}`} />
        </span>
      ),
    }),
    column.display({
      id: 'delete',
      header: 'Delete',
      meta: columnStyles.delete,
      cell: ({ row }) => <DeleteItem kind={groupKind} item={row.original} />,
    }),
  ]);
}
