import { apiBase } from '@/paths';
import { ApiError } from './error';

/** Answers the bearer token of the moment, or null for an anonymous call. */
export type GetToken = (options?: { skipCache?: boolean }) => Promise<string | null>;

export interface Answer<T> {
  data: T;
  message: string | null;
  /** The `before` of the next page of a list, or null when there is none. */
  next: string | null;
  /** The item's version, for `ifMatch` when it is saved. */
  etag: string | null;
}

export interface RequestOptions {
  body?: unknown;
  /** The version that the change was made on; the server answers 412 when it is no longer the newest. */
  ifMatch?: string | null;
  signal?: AbortSignal;
}

export interface ApiClient {
  get: <T>(path: string, options?: Pick<RequestOptions, 'signal'>) => Promise<Answer<T>>;
  post: <T>(path: string, body?: unknown) => Promise<Answer<T>>;
  patch: <T>(
    path: string,
    body: unknown,
    options?: Pick<RequestOptions, 'ifMatch'>,
  ) => Promise<Answer<T>>;
  delete: <T>(path: string, body?: unknown) => Promise<Answer<T>>;
}

interface Envelope<T> {
  data: T;
  message?: string;
  meta?: { next: string | null };
}

/** Speaks to the API: adds the token, unwraps the answer, throws `ApiError`. It shows nothing to anybody. */
export function createApiClient(getToken: GetToken): ApiClient {
  async function send<T>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<T>> {
    const token = await getToken();
    let response = await attempt(method, path, token, options);
    if (response.status === 401 && token !== null) {
      // The token may have expired on its way, or the server may have changed its keys.
      const fresh = await getToken({ skipCache: true });
      if (fresh !== null && fresh !== token) response = await attempt(method, path, fresh, options);
    }
    if (!response.ok) throw await ApiError.fromResponse(response);
    return readAnswer<T>(response);
  }

  return {
    get: (path, options) => send('GET', path, options),
    post: (path, body) => send('POST', path, { body }),
    patch: (path, body, options) => send('PATCH', path, { ...options, body }),
    delete: (path, body) => send('DELETE', path, { body }),
  };
}

async function attempt(
  method: string,
  path: string,
  token: string | null,
  { body, ifMatch, signal }: RequestOptions,
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (ifMatch) headers.set('If-Match', ifMatch);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  try {
    return await fetch(new URL(apiBase + path, window.location.origin), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw ApiError.unreachable();
  }
}

async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const envelope = (await response.json().catch(() => null)) as Envelope<T> | null;
  if (envelope === null) {
    throw new ApiError(response.status, 'The server gave an answer that cannot be read.');
  }
  return {
    data: envelope.data,
    message: envelope.message ?? null,
    next: envelope.meta?.next ?? null,
    etag: response.headers.get('ETag'),
  };
}
