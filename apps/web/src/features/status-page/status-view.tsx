import { type ReactNode, useEffect } from 'react';
import { publicPaths } from '@/public-paths';
import { formatInstant, timeOfDay } from '@/ui/datetime';
import { ComponentList } from './component-list';
import { connectionTexts, timeZoneText, type ConnectionState } from './connection-state';
import type { Follow } from './event-stream';
import { documentTitle, favicon } from './headline';
import { IncidentList } from './incident-list';
import { MaintenanceList } from './maintenance-list';
import { PageFrame } from './page-frame';
import { Prose } from './page-parts';
import { isOver, type PageState } from './page-state';
import type { FetchSnapshot } from './snapshot';
import { StatusBanner } from './status-banner';
import { FeedMenu } from './subscribe/feed-menu';
import { SubscribeProvider } from './subscribe/subscribe-provider';
import { useLive, type LiveStart } from './use-live';

interface StatusViewProps {
  snapshot: PageState;
  follow: Follow;
  fetchSnapshot: FetchSnapshot;
  /** What the page shows already; undefined if nothing has followed it yet. */
  start?: LiveStart;
  actions?: ReactNode;
}

/** The live page of an organisation. */
export function StatusView({ snapshot, follow, fetchSnapshot, start, actions }: StatusViewProps) {
  const live = useLive(snapshot, follow, fetchSnapshot, start);
  const { state, connection, announcements, changes } = live;
  useDocumentStatus(state);
  const { organisation, incidents, maintenances } = state;
  // Unresolved incidents are before the components that they affect, past ones after them.
  // Maintenances that are not over come second.
  const sections = [
    <ComponentList key="components" state={state} changes={changes} />,
    <IncidentList key="incidents" state={state} changes={changes} />,
  ];
  if (!incidents.every(isOver)) sections.reverse();
  sections.splice(
    maintenances.every(isOver) ? 2 : 1,
    0,
    <MaintenanceList key="maintenance" state={state} changes={changes} />,
  );
  return (
    <SubscribeProvider state={state}>
      <PageFrame
        url={organisation.url}
        actions={
          <>
            {actions}
            <FeedMenu />
          </>
        }
        heading={
          <>
            <a href="#components" className="skip">
              Skip to components
            </a>
            <h1 dir="auto" className="title">
              <a href={publicPaths.status(organisation.id)}>{organisation.pageTitle}</a>
            </h1>
          </>
        }
      >
        <div className="overview">
          <Prose text={organisation.pageDescription ?? ''} />
          <StatusBanner state={state} />
          <div className="note">
            <LiveIndicator {...connection} />
            <p>{timeZoneText()}</p>
          </div>
          <nav aria-label="Pages" className="links">
            <LinkButton to={publicPaths.history(organisation.id)}>View history</LinkButton>
            <LinkButton to={publicPaths.uptime(organisation.id)}>Uptime</LinkButton>
            {organisation.supportUrl && (
              <LinkButton to={organisation.supportUrl}>Get support</LinkButton>
            )}
          </nav>
        </div>
        <div className="sections">{sections}</div>
        <div role="log" aria-live="polite" aria-label="Changes">
          {announcements.map(({ key, text }) => (
            <p key={key}>{text}</p>
          ))}
        </div>
      </PageFrame>
    </SubscribeProvider>
  );
}

function LinkButton({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} className="button">
      {children}
    </a>
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

/**
 * Shows whether the page is live, or the time of its state. starter/live-indicator.ts writes the
 * same; connection-announcer.ts announces it to screen readers.
 */
function LiveIndicator({ status, asOf }: ConnectionState) {
  return (
    <p className="live">
      <span data-connection={status} />
      <span>
        {connectionTexts[status]}
        {status === 'reconnecting' && (
          <time dateTime={asOf} title={formatInstant(asOf)}>
            {timeOfDay(asOf)}
          </time>
        )}
      </span>
    </p>
  );
}
