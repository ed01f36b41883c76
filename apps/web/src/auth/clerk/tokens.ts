import { isClerkAPIResponseError } from '@clerk/clerk-react/errors';
import { ApiError } from '@/api/error';
import type { GetToken } from '@/api/client';

/** The part of Clerk that tokens come from, with its components or without. */
export interface TokenSource {
  session:
    { getToken: (options: { skipCache: boolean }) => Promise<string | null> } | null | undefined;
}

/** Clerk tries for minutes to get a token; whoever waits for an answer is told before that. */
const patienceMs = 15_000;

/** The session's token, from Clerk's cache while it is good. */
export function tokensOf(clerk: TokenSource): GetToken {
  return async ({ skipCache = false } = {}) => {
    if (!clerk.session) return null;
    try {
      return await soon(clerk.session.getToken({ skipCache }));
    } catch (error) {
      // Clerk signs out by itself whoever's session has ended.
      if (isClerkAPIResponseError(error) && [401, 404].includes(error.status)) return null;
      throw ApiError.unreachable();
    }
  };
}

function soon<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('Clerk gave no token in time')), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}
