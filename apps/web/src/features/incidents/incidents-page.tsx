import { MessageSquarePlus, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useList } from '@/api/use-list';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { statusChoices, useSearchFilter, type StatusChoices } from '@/items/use-search-filter';
import { endpoints, paths } from '@/paths';
import { impactsOf } from '@/shared-features/affected/impact-fields';
import { useRecordUpdate } from '@/shared-features/updates/use-record-update';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { incidentStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { incidentKind, type Incident } from './incident';

const column = columnsOf<Incident>();

const columnsWith = (onRecord: (incident: Incident) => void) =>
  column.columns([
    column.accessor('title', {
      header: 'Name',
      cell: ({ row }) => <NameCell>{row.original.title}</NameCell>,
    }),
    column.accessor(({ status }) => rankOf(incidentStatuses, status), {
      id: 'status',
      header: 'Status',
      sortDescFirst: false,
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
      cell: ({ row }) => <RecordUpdateButton incident={row.original} onRecord={onRecord} />,
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

const statuses: StatusChoices<Incident> = {
  open: { label: 'Open', matches: ({ status }) => status !== 'RESOLVED' },
  ...statusChoices(incidentStatuses),
};

export function IncidentsPage() {
  const { rows, refresh } = useList<Incident>(endpoints.incidents.list);
  const { record, dialog } = useRecordUpdate(rows, impactsOf, refresh);
  const columns = useMemo(() => columnsWith(record), [record]);
  const filter = useSearchFilter({ textOf: incidentKind.nameOf, statuses });
  return (
    <>
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
        filter={filter}
        emptyHint="Once something goes wrong, open an incident to tell your visitors."
      />
      {dialog}
    </>
  );
}

interface RecordUpdateButtonProps {
  incident: Incident;
  onRecord: (incident: Incident) => void;
}

function RecordUpdateButton({ incident, onRecord }: RecordUpdateButtonProps) {
  return (
    <Button
      size="sm"
      aria-description={incident.title}
      disabled={incident.status === 'RESOLVED'}
      onClick={() => onRecord(incident)}
    >
      <MessageSquarePlus aria-hidden />
      {/* The smallest phones have no room for the text beside the icons. */}
      <span className="max-[22rem]:sr-only">Record Updated</span>
    </Button>
  );
}
