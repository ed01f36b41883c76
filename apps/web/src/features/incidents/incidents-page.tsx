import { MessageSquarePlus, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRefreshList } from '@/api/use-list';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { endpoints, paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { incidentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { incidentTimeline } from '@/updates/incident-timeline';
import { RecordUpdateDialog } from '@/updates/record-update-dialog';
import { incidentKind, type Incident } from './incident';

const column = columnsOf<Incident>();

const columns = column.columns([
  column.accessor('title', {
    header: 'Name',
    cell: ({ row }) => <NameCell>{row.original.title}</NameCell>,
  }),
  column.accessor('status', {
    header: 'Status',
    meta: columnStyles.status,
    cell: ({ row }) => <StatusBadge {...incidentStatuses[row.original.status]} />,
  }),
  column.accessor('occuredAt', {
    header: 'Occurred at',
    meta: columnStyles.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.occuredAt} />,
  }),
  column.accessor('createdAt', {
    header: 'Created at',
    meta: columnStyles.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
  }),
  column.display({
    id: 'record-update',
    header: 'Record Updated',
    meta: { width: 'w-44', writes: true },
    cell: ({ row }) => <RecordUpdate incident={row.original} />,
  }),
  column.display({
    id: 'edit',
    header: 'Edit',
    meta: columnStyles.edit,
    cell: ({ row }) => (
      <EditLink name={row.original.title} to={paths.incidents.edit(row.original.id)} />
    ),
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: columnStyles.delete,
    cell: ({ row }) => <DeleteItem kind={incidentKind} item={row.original} />,
  }),
]);

export function IncidentsPage() {
  return (
    <ListPage
      kind={incidentKind}
      title="Incidents"
      action={
        <NewItemLink to={paths.incidents.create}>
          <Plus aria-hidden /> New Incident
        </NewItemLink>
      }
      columns={columns}
      wide
      emptyHint="Once something goes wrong, open an incident to tell your visitors."
    />
  );
}

function RecordUpdate({ incident }: { incident: Incident }) {
  const refreshList = useRefreshList(endpoints.incidents.list);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        aria-label={`Record Updated: ${incident.title}`}
        disabled={incident.status === 'RESOLVED'}
        onClick={() => setOpen(true)}
      >
        <MessageSquarePlus aria-hidden /> Record Updated
      </Button>
      <RecordUpdateDialog
        timeline={incidentTimeline(incident.id)}
        about={incident.title}
        open={open}
        onOpenChange={setOpen}
        onRecorded={() => void refreshList()}
      />
    </>
  );
}
