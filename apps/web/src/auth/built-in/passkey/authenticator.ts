import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import { loadCode } from '@/api/load-code';

/** The authenticator gave no passkey. Its `message` can be shown to users. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/**
 * Whether this browser has passkeys. Browsers offer them only on pages with TLS,
 * and on `localhost`.
 */
export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential === 'function';
}

/** Asks an authenticator for a new passkey. Throws `PasskeyError`. */
export async function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  try {
    const { startRegistration } = await library();
    return await startRegistration({ optionsJSON: options });
  } catch (error) {
    throw failure(error, {
      unsupported: 'This device or security key cannot keep a passkey.',
      otherwise: 'No passkey was added. Try again.',
    });
  }
}

/** Asks an authenticator for the response of a passkey. Throws `PasskeyError`. */
export async function requestPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  try {
    const { startAuthentication } = await library();
    return await startAuthentication({ optionsJSON: options });
  } catch (error) {
    throw failure(error, {
      unsupported: 'This browser or device cannot use passkeys. Sign in another way.',
      otherwise: 'No passkey was used. Try again, or sign in another way.',
    });
  }
}

/** Loaded on demand: most visits need no passkey. */
function library() {
  return loadCode(() => import('@simplewebauthn/browser'));
}

/** What to show for failures that depend on the request. */
interface FailureTexts {
  unsupported: string;
  /** Browsers report a cancelled request like one without a passkey. */
  otherwise: string;
}

function failure(error: unknown, { unsupported, otherwise }: FailureTexts): PasskeyError {
  switch (nameOf(error)) {
    case 'InvalidStateError':
      return new PasskeyError('This device or security key has a passkey of your account already.');
    case 'SecurityError':
      return new PasskeyError('Passkeys work only at the public address of this installation.');
    case 'NotSupportedError':
    case 'ConstraintError':
      return new PasskeyError(unsupported);
    case null:
    default:
      return new PasskeyError(otherwise, { cause: error });
  }
}

/** The browser's name of an error, which the library may have wrapped. */
function nameOf(error: unknown): string | null {
  const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
  const original = nameOfCause(cause) ?? name;
  return typeof original === 'string' ? original : null;
}

function nameOfCause(cause: unknown): unknown {
  return (Object(cause) as { name?: unknown }).name;
}
