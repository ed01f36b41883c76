import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { onTestFinished, vi } from 'vitest';

vi.mock('@simplewebauthn/browser', () => ({
  startAuthentication: vi.fn(),
  startRegistration: vi.fn(),
}));

/** A browser with an authenticator, until the test ends. Its responses are those of the mocks. */
export function withPasskeys() {
  vi.stubGlobal('PublicKeyCredential', vi.fn());
  const get = vi.mocked(startAuthentication) as unknown as AuthenticatorMock;
  const create = vi.mocked(startRegistration) as unknown as AuthenticatorMock;
  onTestFinished(() => {
    vi.unstubAllGlobals();
    get.mockReset();
    create.mockReset();
  });
  return { get, create };
}

type AuthenticatorMock = ReturnType<typeof vi.fn<(options: unknown) => Promise<unknown>>>;
