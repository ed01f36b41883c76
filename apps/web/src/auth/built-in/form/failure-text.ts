import { ApiError } from '@/api/error';
import { PasskeyError } from '@/auth/built-in/passkey/authenticator';
import { formatCount } from '@/ui/format';

/**
 * Returns the message of a failed request, with the time to wait if the server gives one. Logs any
 * other error, whose message is not for users.
 */
export function failureText(error: unknown): string {
  if (error instanceof PasskeyError) return error.message;
  if (!(error instanceof ApiError)) {
    console.error(error);
    return 'Something went wrong. Try again.';
  }
  if (error.status === 429 && error.retryAfter !== null) {
    return `Too many attempts. Try again in ${duration(error.retryAfter)}.`;
  }
  return error.message;
}

function duration(seconds: number): string {
  if (seconds < 60) return formatCount(seconds, 'second');
  if (seconds < 3600) return formatCount(Math.ceil(seconds / 60), 'minute');
  return formatCount(Math.ceil(seconds / 3600), 'hour');
}
