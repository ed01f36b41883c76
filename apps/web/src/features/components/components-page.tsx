import { ArrowUpDown, FolderInput, FolderPlus, Pencil, Plus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Component } from '@/api/types';
import { useMay } from '@/auth/permissions';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { statusChoices, useSearchFilter, type StatusChoices } from '@/items/use-search-filter';
import { paths } from '@/paths';
import { useGroupName, useGroups } from '@/shared-features/affected/component-groups';
import { GroupName } from '@/shared-features/affected/group-name';
import { StatusButton } from '@/shared-features/affected/status-button';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { GuideLink } from '@/ui/guide-link';
import { needsAttention } from '@/ui/status-styles';
import { componentBadges, componentStatuses } from '@/ui/statuses';
import { componentKind } from './component';
import { ComponentBadges, severityOf } from './component-badges';
import { ComponentStatusDialog } from './component-status-dialog';
import { CreateGroupDialog } from './group-dialog';
import { GroupsSection } from './groups-section';
import { MoveDialog } from './move-dialog';

const column = columnsOf<Component>();

const columnsWith = (onChangeStatus: (components: Component[]) => void) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      cell: ({ row }) => <ComponentName component={row.original} />,
    }),
    column.accessor(severityOf, {
      id: 'status',
      header: 'Status',
      meta: columnStyles.statusButton,
      cell: ({ row }) => (
        <ComponentStatusCell
          component={row.original}
          onChange={() => onChangeStatus([row.original])}
        />
      ),
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

/** As the badges show them: a component under maintenance is not operational. */
const statuses: StatusChoices<Component> = {
  affected: { label: 'Affected', matches: needsAttention },
  ...statusChoices(componentStatuses),
  operational: {
    label: componentStatuses.OPERATIONAL.label,
    matches: (component) => !needsAttention(component),
  },
  maintenance: {
    label: 'Under Maintenance',
    matches: ({ underMaintenance }) => underMaintenance,
  },
};

/** The name, with that of the group below it. */
function ComponentName({ component }: { component: Component }) {
  const group = useGroupName()(component.groupId);
  return (
    <>
      <NameCell>{component.name}</NameCell>
      {component.groupId !== null && <GroupName>{group}</GroupName>}
    </>
  );
}

interface ComponentStatusCellProps {
  component: Component;
  /** Opens the dialog that changes the status. */
  onChange: () => void;
}

/** The status, which users who may write can change. */
function ComponentStatusCell({ component, onChange }: ComponentStatusCellProps) {
  const badges = <ComponentBadges condition={component} />;
  if (!useMay('write')) return badges;
  return (
    <StatusButton name={component.name} statuses={componentBadges(component)} onClick={onChange}>
      {badges}
    </StatusButton>
  );
}

/** Filters by the name of a component and that of its group, and by status. */
function useComponentFilter() {
  const groupName = useGroupName();
  const textOf = useCallback(
    ({ name, groupId }: Component) => `${name} ${groupName(groupId) ?? ''}`,
    [groupName],
  );
  return useSearchFilter({ textOf, statuses });
}

export function ComponentsPage() {
  const [creatingGroup, setCreatingGroup] = useState(false);
  const [changing, setChanging] = useState<Component[]>([]);
  const [moving, setMoving] = useState<Component[]>([]);
  const { rows: groups = [] } = useGroups();
  const filter = useComponentFilter();
  const columns = useMemo(() => columnsWith(setChanging), []);
  return (
    <ListPage
      kind={componentKind}
      title="Components"
      readerAction={<GuideLink guide="status-page#groups-and-order" topic="components" size="md" />}
      action={
        <>
          <Link to={paths.components.order} className={buttonVariants()}>
            <ArrowUpDown aria-hidden /> Reorder
          </Link>
          <Button onClick={() => setCreatingGroup(true)}>
            <FolderPlus aria-hidden /> New Group
          </Button>
          <NewItemLink to={paths.components.create}>
            <Plus aria-hidden /> New Component
          </NewItemLink>
        </>
      }
      columns={columns}
      emptyHint="Add what your status page shows: a website, an API, a region."
      filter={filter}
      bulkActions={(selected) => (
        // Phones have no room for the texts of three buttons.
        <>
          <Button size="sm" onClick={() => setChanging(selected)}>
            <Pencil aria-hidden /> <span className="stacked:sr-only">Change Status</span>
          </Button>
          {groups.length > 0 && (
            <Button size="sm" onClick={() => setMoving(selected)}>
              <FolderInput aria-hidden /> <span className="stacked:sr-only">Move to Group</span>
            </Button>
          )}
        </>
      )}
    >
      <GroupsSection />
      {creatingGroup && <CreateGroupDialog onClose={() => setCreatingGroup(false)} />}
      {changing.length > 0 && (
        <ComponentStatusDialog components={changing} onClose={() => setChanging([])} />
      )}
      {moving.length > 0 && <MoveDialog components={moving} onClose={() => setMoving([])} />}
    </ListPage>
  );
}
