import { ApiError } from './error';

/** What to say of a failure: the server's reason where a rule refused it, otherwise `text`. */
export function refusalOr(text: string, error: unknown): string {
  return error instanceof ApiError && error.status === 409 ? error.message : text;
}

/** What to say of a failure: the server's own words where its answer has some, otherwise `text`. */
export function answerOr(text: string, error: unknown): string {
  return error instanceof ApiError && error.isFromServer ? error.message : text;
}
