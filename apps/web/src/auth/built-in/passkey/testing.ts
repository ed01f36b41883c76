import { onTestFinished, vi } from 'vitest';

/*
 * Replaces the library of the authenticator in the tests of a file, by
 * `vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'))`.
 */
export const startAuthentication = vi.fn<(options: unknown) => Promise<unknown>>();
export const startRegistration = vi.fn<(options: unknown) => Promise<unknown>>();

/** A browser with an authenticator, until the test ends. Its responses are those of the mocks. */
export function withPasskeys() {
  vi.stubGlobal('PublicKeyCredential', vi.fn());
  onTestFinished(() => {
    vi.unstubAllGlobals();
    startAuthentication.mockReset();
    startRegistration.mockReset();
  });
  return { get: startAuthentication, create: startRegistration };
}
