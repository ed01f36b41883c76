import { FailedResponse } from './snapshot';

/**
 * Whether the server does not know the organisation. A proxy that has lost its server may respond
 * with a 404 of its own.
 */
export function isUnknownOrganisation(error: unknown): boolean {
  return (
    error instanceof FailedResponse &&
    error.response.status === 404 &&
    error.response.headers.get('Content-Type')?.includes('problem') === true
  );
}
