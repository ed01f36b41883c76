import { act } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import type { OrganisationSettings } from '@/api/types';
import { apiBase, endpoints } from '@/paths';

/** The settings of the organisation, which many forms read. */
export const settings: OrganisationSettings = {
  id: 'org-1',
  code: '0123456789ab',
  url: 'https://status.example.com/status/org-1',
  name: 'Analytical Engines',
  timeZone: 'Etc/UTC',
  domain: null,
  pageTitle: null,
  pageDescription: null,
  supportUrl: null,
  notifyByDefault: true,
  publicChannels: { email: true, webhook: true, slack: true, teams: true, discord: true },
  reminderHours: null,
};

/**
 * A server with the settings and no components, groups, API keys and members: each test adds the
 * handlers of its requests by `server.use(...)`.
 */
export const server = setupServer(
  http.get(apiUrl(endpoints.configuration), () => success(null)),
  http.get(apiUrl(endpoints.organisationSettings), () => success(settings)),
  http.get(apiUrl(endpoints.components.list), () => success([])),
  http.get(apiUrl(endpoints.componentGroups.list), () => success([])),
  http.get(apiUrl(endpoints.apiKeys.list), () => success([])),
  http.get(apiUrl(endpoints.identity.members('org-1')), () => success([])),
  http.get(apiUrl(endpoints.identity.members('org-2')), () => success([])),
);

const unexpected: string[] = [];

server.events.on('request:unhandled', ({ request }) => {
  unexpected.push(`${request.method} ${request.url}`);
});

/** Returns the requests without a handler since the last call. */
export function takeUnexpectedCalls(): string[] {
  return unexpected.splice(0);
}

/** The requests without a response. */
const openRequests = new Set<string>();

server.events.on('request:start', ({ request, requestId }) => {
  openRequests.add(requestId);
  request.signal.addEventListener('abort', () => {
    openRequests.delete(requestId);
  });
});

server.events.on('request:end', ({ requestId }) => {
  openRequests.delete(requestId);
});

// If a handler throws, its request has this event only.
server.events.on('response:mocked', ({ requestId }) => {
  openRequests.delete(requestId);
});

/** Forgets requests whose responses a test holds back for ever. */
export function forgetOpenRequests(): void {
  openRequests.clear();
}

/** Runs also while a test has replaced the timers. */
const realSetTimeout = setTimeout;

/** Lets everything run that waits for no timer and no response, and renders the result. */
export async function nextTask(): Promise<void> {
  await act(() => new Promise((resolve) => realSetTimeout(resolve, 0)));
}

/**
 * Resolves once every request has its response and React has rendered it. Never resolves while a
 * response is held back.
 */
export async function settled(): Promise<void> {
  // A response may cause another request, so one quiet task is not enough.
  for (let quiet = 0; quiet < 2; quiet = openRequests.size > 0 ? 0 : quiet + 1) await nextTask();
}

/**
 * The full URL of an endpoint, for msw's handlers:
 * `http.get(apiUrl(endpoints.components.list), …)`.
 */
export function apiUrl(call: string): string {
  return new URL(apiBase + call, window.location.origin).href;
}

interface SuccessInit {
  status?: number;
  message?: string;
  next?: string | null;
  etag?: string;
}

/** A successful response in the server's format. */
export function success(data: unknown, { status = 200, message, next, etag }: SuccessInit = {}) {
  return HttpResponse.json(
    { data, ...(message && { message }), ...(next !== undefined && { meta: { next } }) },
    { status, headers: etag ? { ETag: etag } : {} },
  );
}

/** A failure in the server's format. */
export function problem(
  status: number,
  message: string,
  errors?: { field: string; message: string }[],
) {
  return HttpResponse.json(
    {
      type: 'about:blank',
      title: message,
      status,
      detail: message,
      message,
      ...(errors && { errors }),
    },
    { status, headers: { 'Content-Type': 'application/problem+json' } },
  );
}

/** Holds a response back until it is released. */
export function hold() {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}
