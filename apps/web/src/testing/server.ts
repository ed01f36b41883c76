import { HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { apiBase } from '@/paths';

/** A server that knows no call: each test says with `server.use(...)` what it expects to be asked. */
export const server = setupServer();

const unexpected: string[] = [];

server.events.on('request:unhandled', ({ request }) => {
  unexpected.push(`${request.method} ${request.url}`);
});

/** The calls since the last time that no handler knew. */
export function takeUnexpectedCalls(): string[] {
  return unexpected.splice(0);
}

/** The whole address of a call, for msw's handlers: `http.get(apiUrl(calls.components.list), …)`. */
export function apiUrl(call: string): string {
  return new URL(apiBase + call, window.location.origin).href;
}

interface AnswerInit {
  status?: number;
  message?: string;
  next?: string | null;
  etag?: string;
}

/** A success as the server writes it. */
export function answer(data: unknown, { status = 200, message, next, etag }: AnswerInit = {}) {
  return HttpResponse.json(
    { data, ...(message && { message }), ...(next !== undefined && { meta: { next } }) },
    { status, headers: etag ? { ETag: etag } : {} },
  );
}

/** A failure as the server writes it. */
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
