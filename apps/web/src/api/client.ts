import { apiBase } from '@/paths';
import { ApiError } from './error';
import { IdempotencyKeys } from './idempotency-keys';
import { notifyReachable } from './reachable';
import type { components } from './schema.gen';
import { readServerClock } from './server-clock';

/** Returns the current bearer token; null for an anonymous request. */
export type GetToken = (options?: { skipCache?: boolean }) => Promise<string | null>;

/** What a refused request needs of the user: to authenticate again, or to use the second factor. */
export type Confirmation = 'authentication' | 'second-factor';

/** Asks the user to authenticate again; false if the user does not. */
export type Reauthenticate = (needed: Confirmation) => Promise<boolean>;

/** Called when the server has refused a request (403): the user may have another role by now. */
export type OnForbidden = () => void;

export interface ApiResponse<T> {
  data: T;
  message: string | null;
  /** The `before` of the next page of a list; null on the last page. */
  next: string | null;
  /** What else the response says, as a list its next page. */
  meta?: Meta | undefined;
  /** The item's version, for `ifMatch` when it is saved. */
  etag: string | null;
}

interface RequestOptions {
  body?: unknown;
  /** Sent in place of a JSON body. */
  text?: { type: string; content: string };
  /**
   * The version that the change is based on. The server responds with 412 if there is a newer one.
   */
  ifMatch?: string | null;
  /** The server executes requests with the same key once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export type Precondition = Pick<RequestOptions, 'ifMatch'>;

export interface ApiClient {
  get: <T>(path: string, options?: Pick<RequestOptions, 'signal'>) => Promise<ApiResponse<T>>;
  post: <T>(path: string, body?: unknown, options?: Precondition) => Promise<ApiResponse<T>>;
  put: <T>(path: string, body: unknown, options?: Precondition) => Promise<ApiResponse<T>>;
  patch: <T>(path: string, body: unknown, options?: Precondition) => Promise<ApiResponse<T>>;
  delete: <T>(path: string, body?: unknown, options?: Precondition) => Promise<ApiResponse<T>>;
  /** Posts a text. */
  upload: <T>(path: string, type: string, content: string) => Promise<ApiResponse<T>>;
  /** Reads a file. */
  download: (path: string) => Promise<Blob>;
}

interface Envelope<T> {
  data: T;
  message?: string;
  meta?: Meta;
}

interface Meta extends Partial<components['schemas']['SubscriberImportMeta']> {
  next?: string | null;
}

/** Creates a client that adds the token and unwraps responses. Its methods throw `ApiError`. */
export function createApiClient(
  getToken: GetToken,
  reauthenticate: Reauthenticate = () => Promise.resolve(false),
  onForbidden?: OnForbidden,
): ApiClient {
  const keys = new IdempotencyKeys();

  async function request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Response> {
    const confirmed = new Set<Confirmation>();
    for (;;) {
      const response = await authorized(method, path, options);
      if (response.ok) {
        notifyReachable();
        return response;
      }
      const error = await ApiError.fromResponse(response);
      const needed = confirmationOf(error);
      if (needed === null && error.status === 403) onForbidden?.();
      if (needed === null || confirmed.has(needed) || !(await reauthenticate(needed))) throw error;
      confirmed.add(needed);
    }
  }

  async function authorized(
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<Response> {
    const token = await getToken();
    let response = await attempt(method, path, token, options);
    if (response.status === 401 && token !== null) {
      // The token may have expired, or the server may have changed its keys.
      const fresh = await getToken({ skipCache: true });
      if (fresh !== null && fresh !== token) response = await attempt(method, path, fresh, options);
    }
    return response;
  }

  async function send<T>(method: string, path: string, options?: RequestOptions) {
    return readResponse<T>(await request(method, path, options));
  }

  function post<T>(path: string, body?: unknown, options?: Precondition) {
    if (!takesKey(path)) return send<T>('POST', path, { ...options, body });
    return keys.send(`${path} ${JSON.stringify(body)}`, (idempotencyKey) =>
      send<T>('POST', path, { ...options, body, idempotencyKey }),
    );
  }

  return {
    get: (path, options) => send('GET', path, options),
    post,
    put: (path, body, options) => send('PUT', path, { ...options, body }),
    patch: (path, body, options) => send('PATCH', path, { ...options, body }),
    delete: (path, body, options) => send('DELETE', path, { ...options, body }),
    upload: (path, type, content) => send('POST', path, { text: { type, content } }),
    download: async (path) => (await request('GET', path)).blob(),
  };
}

/** Whether the server reads the `Idempotency-Key` of a POST: it does for creates. */
function takesKey(path: string): boolean {
  return path.endsWith('/create') || path === '/subscriber';
}

function confirmationOf(error: ApiError): Confirmation | null {
  if (error.needsReauthentication) return 'authentication';
  return error.needsSecondFactor ? 'second-factor' : null;
}

async function attempt(
  method: string,
  path: string,
  token: string | null,
  { body, text, ifMatch, idempotencyKey, signal }: RequestOptions,
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (ifMatch) headers.set('If-Match', ifMatch);
  if (idempotencyKey) headers.set('Idempotency-Key', idempotencyKey);
  const json = body === undefined ? undefined : JSON.stringify(body);
  const type = text?.type ?? (json && 'application/json');
  if (type !== undefined) headers.set('Content-Type', type);
  try {
    const response = await fetch(new URL(apiBase + path, window.location.origin), {
      method,
      headers,
      body: text?.content ?? json ?? null,
      signal: signal ?? null,
    });
    readServerClock(response);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw ApiError.unreachable();
  }
}

async function readResponse<T>(response: Response): Promise<ApiResponse<T>> {
  const envelope = (await response.json().catch(() => null)) as Envelope<T> | null;
  if (envelope === null) {
    throw new ApiError(response.status, 'The server sent a response that cannot be read.');
  }
  return {
    data: envelope.data,
    message: envelope.message ?? null,
    next: envelope.meta?.next ?? null,
    meta: envelope.meta,
    etag: response.headers.get('ETag'),
  };
}
