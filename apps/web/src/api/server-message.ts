import { ApiError } from './error';

/**
 * Returns why the server refuses an action: the message of the first wrong field, or that of a
 * conflict (409) or a rate limit (429).
 */
export function refusalReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const [fieldError] = error.fieldErrors;
  const hasReason = error.status === 409 || error.status === 429;
  return fieldError?.message ?? (hasReason ? error.message : undefined);
}

/** Returns the server's message, or `text` without one. */
export function serverMessageOr(text: string, error: unknown): string {
  return error instanceof ApiError && error.isFromServer ? error.message : text;
}
