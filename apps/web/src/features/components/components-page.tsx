import { ArrowUpDown, FolderPlus, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { Component } from '@/api/types';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { paths } from '@/paths';
import { useGroupName } from '@/shared-features/affected/component-groups';
import { GroupName } from '@/shared-features/affected/group-name';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { componentKind } from './component';
import { ComponentBadges, severityOf } from './component-badges';
import { CreateGroupDialog } from './group-dialog';
import { GroupsSection } from './groups-section';

const column = columnsOf<Component>();

const columns = column.columns([
  column.accessor('name', {
    header: 'Name',
    cell: ({ row }) => <ComponentName component={row.original} />,
  }),
  column.accessor(severityOf, {
    id: 'status',
    header: 'Status',
    meta: columnStyles.componentStatus,
    cell: ({ row }) => <ComponentBadges condition={row.original} />,
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

export function ComponentsPage() {
  const [creatingGroup, setCreatingGroup] = useState(false);
  return (
    <ListPage
      kind={componentKind}
      title="Components"
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
    >
      <GroupsSection />
      {creatingGroup && <CreateGroupDialog onClose={() => setCreatingGroup(false)} />}
    </ListPage>
  );
}
