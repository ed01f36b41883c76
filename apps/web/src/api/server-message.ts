import { ApiError } from './error';

/** Returns the server's reason of a conflict (409). */
export function conflictReason(error: unknown): string | undefined {
  return error instanceof ApiError && error.status === 409 ? error.message : undefined;
}

/** Returns the server's message, or `text` without one. */
export function serverMessageOr(text: string, error: unknown): string {
  return error instanceof ApiError && error.isFromServer ? error.message : text;
}
