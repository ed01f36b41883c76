import { type ReactNode, useEffect } from 'react';
import { publicPaths } from '@/public-paths';
import { formatInstant } from '@/ui/datetime';
import { ComponentList } from './component-list';
import type { Follow } from './event-stream';
import { documentTitle, favicon } from './headline';
import { IncidentList } from './incident-list';
import { MaintenanceList } from './maintenance-list';
import { PageFrame } from './page-frame';
import { Prose } from './page-parts';
import { isPast, type PageState } from './page-state';
import { StatusBanner } from './status-banner';
import { FeedMenu } from './subscribe/feed-menu';
import { LocalTime, useHydrated } from './time';
import { type Live, useLive } from './use-live';

interface StatusViewProps {
  snapshot: PageState;
  follow: Follow;
  actions?: ReactNode;
}

/** The live page of an organisation. */
export function StatusView({ snapshot, follow, actions }: StatusViewProps) {
  const { state, connection, asOf, announcements, changes } = useLive(snapshot, follow);
  useDocumentStatus(state);
  const { organisation, components, incidents, maintenances } = state;
  // Unresolved incidents come before the components that they affect.
  const incidentsFirst = !incidents.every(isPast);
  const incidentList = (
    <IncidentList key="incidents" orgId={organisation.id} incidents={incidents} changes={changes} />
  );
  return (
    <PageFrame
      actions={
        <>
          {actions}
          <FeedMenu url={organisation.url} />
        </>
      }
      heading={
        <h1 dir="auto" className="title">
          <a href={publicPaths.status(organisation.id)}>{organisation.pageTitle}</a>
        </h1>
      }
    >
      <div className="overview">
        <Prose text={organisation.pageDescription ?? ''} />
        <StatusBanner components={components} />
        <div className="note">
          <LiveIndicator connection={connection} asOf={asOf} />
          <TimeZone />
        </div>
      </div>
      <div className="sections">
        {incidentsFirst && incidentList}
        <ComponentList key="components" state={state} changes={changes} />
        {!incidentsFirst && incidentList}
        <MaintenanceList
          key="maintenances"
          orgId={organisation.id}
          maintenances={maintenances}
          changes={changes}
        />
      </div>
      <p className="links">
        <LinkButton to={publicPaths.history(organisation.id)}>View history</LinkButton>
        <LinkButton to={publicPaths.uptime(organisation.id)}>Uptime</LinkButton>
        {organisation.supportUrl && (
          <LinkButton to={organisation.supportUrl}>Get support</LinkButton>
        )}
      </p>
      <div role="log" aria-live="polite" aria-label="Changes">
        {announcements.map(({ key, text }) => (
          <p key={key}>{text}</p>
        ))}
      </div>
    </PageFrame>
  );
}

function LinkButton({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} className="button">
      {children}
    </a>
  );
}

/**
 * The time zone of the times: until hydration that of the page, which the server wrote. The key makes a new element, so that
 * browsers measure no layout shift.
 */
function TimeZone() {
  const isHydrated = useHydrated();
  const zone = isHydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC';
  return (
    <p key={String(isHydrated)} suppressHydrationWarning>
      {`All times are in ${zone.replaceAll('_', ' ')}`}
    </p>
  );
}

/** Shows the status in the browser's tab. */
function useDocumentStatus(state: PageState): void {
  const title = documentTitle(state);
  const icon = favicon(state);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    const before = link?.getAttribute('href');
    link?.setAttribute('href', icon);
    return () => {
      if (before) link?.setAttribute('href', before);
    };
  }, [icon]);
}

/** Shows whether the page is live, or the time of its state. */
function LiveIndicator({ connection, asOf }: Pick<Live, 'connection' | 'asOf'>) {
  const isHydrated = useHydrated();
  return (
    <p className="live">
      <span data-connection={isHydrated ? connection : undefined} />
      {isHydrated ? (
        <LiveText connection={connection} asOf={asOf} />
      ) : (
        <span>
          {'State of '}
          <LocalTime value={asOf} />
        </span>
      )}
    </p>
  );
}

function LiveText({ connection, asOf }: Pick<Live, 'connection' | 'asOf'>) {
  switch (connection) {
    case 'connecting':
      return <span>Connecting</span>;
    case 'live':
      return <span>Live</span>;
    case 'reconnecting':
      return (
        <span>
          {'Reconnecting · state of '}
          <time dateTime={asOf} title={formatInstant(asOf)}>
            {timeOfDay(asOf)}
          </time>
        </span>
      );
  }
}

/** Formats hour and minute; with the day unless it is today. */
function timeOfDay(instant: string): string {
  const then = new Date(instant);
  if (then.toDateString() !== new Date().toDateString()) return formatInstant(then);
  return then.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' });
}
