import { ApiError } from '@/api/error';
import { Alert } from './alert';

/** Why a form could not be saved, where neither a field nor another person's version says it. */
export function SaveFailure({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.status === 412 || error.fieldErrors.length > 0) {
    return null;
  }
  return <Alert kind="error">{error.message}</Alert>;
}
