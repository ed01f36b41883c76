export interface FieldError {
  /** In formik's notation: `components[0].componentId`. */
  field: string;
  message: string;
}

/** A failed request. Its `message` can be shown to users. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly fieldErrors: readonly FieldError[];
  /** Seconds of the `Retry-After` header; null without it. */
  readonly retryAfter: number | null;
  /** Whether `message` comes from the server. */
  readonly isFromServer: boolean;
  /** The problem's `type` (RFC 9457); null if the status says all. */
  readonly type: string | null;

  constructor(
    status: number,
    message: string,
    fieldErrors: readonly FieldError[] = [],
    retryAfter: number | null = null,
    isFromServer = false,
    type: string | null = null,
  ) {
    super(message);
    this.status = status;
    this.fieldErrors = fieldErrors;
    this.retryAfter = retryAfter;
    this.isFromServer = isFromServer;
    this.type = type;
  }

  /** Whether the user must authenticate again before this request. */
  get needsReauthentication(): boolean {
    return this.type?.endsWith('/re-authentication-required') ?? false;
  }

  /** Whether a retry of the same request may succeed. */
  get isTransient(): boolean {
    // A response below 400 was cut off, and 0 stands for no response.
    return this.status < 400 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  /** Whether the request needs a second factor, which the user has not used in this session. */
  get needsSecondFactor(): boolean {
    return this.type?.endsWith('/second-factor-required') ?? false;
  }

  static unreachable(): ApiError {
    return new ApiError(0, 'The server cannot be reached. Check your connection and try again.');
  }

  /** Reads an `application/problem+json` body. Any other body gives a general message. */
  static async fromResponse(response: Response): Promise<ApiError> {
    const problem = record(await response.json().catch(() => null));
    const message = text(problem.message) ?? text(problem.detail) ?? text(problem.title);
    return new ApiError(
      response.status,
      message ?? `The server responded with status ${response.status}`,
      fieldErrors(problem.errors),
      seconds(response.headers.get('Retry-After')),
      message !== undefined,
      text(problem.type) ?? null,
    );
  }
}

/** Whether a request failed because its item does not exist, as after a deletion by another user. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Ignores that an item does not exist: there is nothing left to do. Throws any other error. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Ignores that the response to a change that was made is cut off. Throws any other error. */
export function ignoreCutOff(error: unknown): void {
  if (!(error instanceof ApiError && error.status >= 200 && error.status < 300)) throw error;
}

function seconds(value: string | null): number | null {
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}

function record(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.map(record).flatMap((entry) => {
    const field = text(entry.field);
    const message = text(entry.message);
    return field !== undefined && message !== undefined ? [{ field, message }] : [];
  });
}
