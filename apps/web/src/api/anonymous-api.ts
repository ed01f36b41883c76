import { createApiClient } from './client';

/**
 * A client without a token. The session of the built-in identity provider is a cookie, which its
 * requests carry.
 */
export const anonymousApi = createApiClient(() => Promise.resolve(null));
