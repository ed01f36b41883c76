export interface FieldError {
  /** As formik writes it: `components[0].componentId`. */
  field: string;
  message: string;
}

/** What the server refused, or why it could not be asked. `message` is fit to show to a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number;
  readonly fieldErrors: readonly FieldError[];
  /** Seconds after which the server asks to be asked again, where it says so. */
  readonly retryAfter: number | null;
  /** Whether `message` is the server's own. */
  readonly isFromServer: boolean;

  constructor(
    status: number,
    message: string,
    fieldErrors: readonly FieldError[] = [],
    retryAfter: number | null = null,
    isFromServer = false,
  ) {
    super(message);
    this.status = status;
    this.fieldErrors = fieldErrors;
    this.retryAfter = retryAfter;
    this.isFromServer = isFromServer;
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  static unreachable(): ApiError {
    return new ApiError(0, 'The server cannot be reached. Check your connection and try again.');
  }

  /** Reads an `application/problem+json` body; any other body still makes a readable error. */
  static async fromResponse(response: Response): Promise<ApiError> {
    const problem = record(await response.json().catch(() => null));
    const message = text(problem.message) ?? text(problem.detail) ?? text(problem.title);
    return new ApiError(
      response.status,
      message ?? `The server answered with status ${response.status}`,
      fieldErrors(problem.errors),
      seconds(response.headers.get('Retry-After')),
      message !== undefined,
    );
  }
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
