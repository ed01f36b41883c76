import { ApiError } from './error';

/** The server's reason where a rule refused it. */
export function refusalReason(error: unknown): string | undefined {
  return error instanceof ApiError && error.status === 409 ? error.message : undefined;
}

/** What to say of a failure: the server's own words where its answer has some, otherwise `text`. */
export function answerOr(text: string, error: unknown): string {
  return error instanceof ApiError && error.isFromServer ? error.message : text;
}
