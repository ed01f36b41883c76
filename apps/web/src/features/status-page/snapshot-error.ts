import { ApiError } from '@/api/error';
import { FailedResponse } from './snapshot';

/**
 * Throws the reason why a snapshot could not be requested, as an error with a message for people.
 */
export async function throwApiError(error: unknown): Promise<never> {
  if (error instanceof FailedResponse) throw await ApiError.fromResponse(error.response);
  throw error instanceof TypeError ? ApiError.unreachable() : error;
}
