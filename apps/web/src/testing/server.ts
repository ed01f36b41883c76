import { HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { apiBase } from '@/paths';

/** A server without handlers: each test adds those of its requests by `server.use(...)`. */
export const server = setupServer();

const unexpected: string[] = [];

server.events.on('request:unhandled', ({ request }) => {
  unexpected.push(`${request.method} ${request.url}`);
});

/** Returns the requests without a handler since the last call. */
export function takeUnexpectedCalls(): string[] {
  return unexpected.splice(0);
}

/** The full URL of an endpoint, for msw's handlers: `http.get(apiUrl(endpoints.components.list), …)`. */
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
