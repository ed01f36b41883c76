import type { ReactNode } from 'react';
import type { StatusSnapshot } from '@/api/types';
import { paths } from '@/paths';
import { ComponentList } from './component-list';
import type { Follow } from './event-stream';
import { IncidentList, isUnresolved } from './incident-list';
import { LiveIndicator } from './live-indicator';
import { MaintenanceList } from './maintenance-list';
import { PageFrame } from './page-frame';
import { StatusBanner } from './status-banner';
import { useDocumentStatus } from './use-document-status';
import { useLive } from './use-live';
import { useTakeover } from './use-takeover';

interface StatusViewProps {
  snapshot: StatusSnapshot;
  follow: Follow;
  actions?: ReactNode;
}

/** The page of an organisation, live from the snapshot on. */
export function StatusView({ snapshot, follow, actions }: StatusViewProps) {
  const { state, connection, asOf, news, changes } = useLive(snapshot, follow);
  useDocumentStatus(state);
  const { organisation, components, incidents, maintenances } = state;
  // While something is going on, what is said about it comes before the list of what it affects.
  const incidentsFirst = incidents.some(isUnresolved);
  const incidentList = (
    <IncidentList
      key="incidents"
      incidents={incidents}
      changes={changes}
      className="xl:col-start-2 xl:row-span-2 xl:row-start-1"
    />
  );
  return (
    <PageFrame
      actions={actions}
      heading={
        <h1
          dir="auto"
          className="text-2xl font-semibold tracking-tight text-balance wrap-anywhere sm:text-3xl"
        >
          <a href={paths.status(organisation.id)} className="rounded-sm">
            {organisation.name}
          </a>
        </h1>
      }
    >
      <div className="grid gap-3">
        <StatusBanner components={components} />
        <div className="flex flex-col justify-between gap-x-4 gap-y-1 text-sm text-subtle sm:flex-row">
          <LiveIndicator connection={connection} asOf={asOf} />
          <TimeZone />
        </div>
      </div>
      <div className="grid gap-8 xl:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] xl:grid-rows-[auto_1fr]">
        {incidentsFirst && incidentList}
        <ComponentList
          key="components"
          components={components}
          changes={changes}
          className="xl:col-start-1"
        />
        {!incidentsFirst && incidentList}
        <MaintenanceList
          key="maintenances"
          maintenances={maintenances}
          changes={changes}
          className="xl:col-start-1"
        />
      </div>
      <div role="log" aria-live="polite" aria-label="Changes" className="sr-only">
        {news.map(({ key, text }) => (
          <p key={key}>{text}</p>
        ))}
      </div>
    </PageFrame>
  );
}

/** What all the times are in. With another key it is another element: a new text, not one that has moved. */
function TimeZone() {
  const isTaken = useTakeover();
  const zone = isTaken ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC';
  return <p key={zone}>{`All times are in ${zone.replaceAll('_', ' ')}`}</p>;
}
