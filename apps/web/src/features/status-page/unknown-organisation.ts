import { FailedResponse } from './snapshot';

/**
 * Whether the server does not know the organisation. A proxy that has lost its server may respond
 * with a 404 of its own.
 */
export function isUnknownOrganisation(error: unknown): boolean {
  if (!(error instanceof FailedResponse)) return false;
  const { status, headers } = error.response;
  return status === 404 && headers.get('Content-Type')?.includes('problem') === true;
}
