import { anonymousApi } from '@/api/anonymous-api';
import { ApiError } from '@/api/error';
import { paths } from '@/paths';

/** The address at the identity provider that the browser must open next. */
async function begin(endpoint: string, returnTo: string): Promise<string> {
  const { data } = await anonymousApi.post<{ url: string }>(endpoint, { returnTo });
  return data.url;
}

/** Goes to an identity provider, which redirects back to `returnTo`. Throws `ApiError`. */
export async function goToProvider(endpoint: string, returnTo: string): Promise<void> {
  window.location.assign(await begin(endpoint, returnTo));
}

/**
 * Opens an identity provider in a window of its own, so that this one keeps what was typed.
 * Throws `ApiError`.
 */
export async function openProvider(endpoint: string): Promise<void> {
  // Browsers allow it only during the press of a button, before a request.
  const opened = window.open('', '_blank', 'popup,width=520,height=720');
  if (opened === null) {
    throw new ApiError(
      0,
      'Your browser has blocked the window. Allow windows of this site, and try again.',
    );
  }
  // The provider's pages cannot reach this window.
  opened.opener = null;
  try {
    opened.location.replace(await begin(endpoint, paths.signedIn));
  } catch (error) {
    opened.close();
    throw error;
  }
}
