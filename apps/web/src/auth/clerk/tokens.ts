import { isClerkAPIResponseError } from '@clerk/clerk-react/errors';
import { ApiError } from '@/api/error';
import type { GetToken } from '@/api/client';

/** The part of Clerk that issues tokens. */
export interface TokenSource {
  session:
    { getToken: (options: { skipCache: boolean }) => Promise<string | null> } | null | undefined;
}

/** Clerk retries for minutes; requests fail earlier. */
const tokenTimeoutMs = 15_000;

/** Returns the session's token, from Clerk's cache while it is valid. */
export function tokensOf(clerk: TokenSource): GetToken {
  return async ({ skipCache = false } = {}) => {
    if (!clerk.session) return null;
    try {
      return await withTimeout(clerk.session.getToken({ skipCache }));
    } catch (error) {
      // After the end of a session Clerk signs the user out by itself.
      if (isClerkAPIResponseError(error) && [401, 404].includes(error.status)) return null;
      throw ApiError.unreachable();
    }
  };
}

function withTimeout<T>(token: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error('Clerk gave no token in time')),
      tokenTimeoutMs,
    );
    token.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}
