/**
 * The paths that the public status page needs: its script is small, so it does not contain those of
 * the operators.
 */

const segment = encodeURIComponent;

export const publicPaths = {
  landing: '/',
  status: (orgId: string) => `/status/${segment(orgId)}`,
  /** Pages that the server alone draws. */
  history: (orgId: string) => `/status/${segment(orgId)}/history`,
  componentHistory: (orgId: string, code: string, page = 1) =>
    `/status/${segment(orgId)}/history?${page > 1 ? `page=${page}&` : ''}component=${code}`,
  uptime: (orgId: string) => `/status/${segment(orgId)}/uptime`,
  publicIncident: (orgId: string, code: string) => `/status/${segment(orgId)}/incidents/${code}`,
  publicMaintenance: (orgId: string, code: string) =>
    `/status/${segment(orgId)}/maintenances/${code}`,
} as const;

export const apiBase = '/api/v1';

/** Endpoints of the API, relative to `apiBase`. */
export const publicEndpoints = {
  status: (orgId: string) => `/status/${segment(orgId)}`,
  statusEvents: (orgId: string, since: number) => `/status/${segment(orgId)}/events?since=${since}`,
} as const;

/** The feeds below a status page, with what each is called. */
export const publicFeeds = [
  ['/history.atom', 'Incidents, Atom'],
  ['/history.rss', 'Incidents, RSS'],
  ['/updates.atom', 'Every update, Atom'],
  ['/updates.rss', 'Every update, RSS'],
  ['/feed.json', 'JSON Feed'],
  ['/maintenances.ics', 'Maintenance calendar'],
] as const;
