import { useConfiguration } from '@/api/configuration';
import { PasskeyButton, useHasPasskeys } from '@/auth/built-in/passkey/passkey-button';
import { OrDivider, ProviderList } from '@/auth/built-in/provider-list';
import { goToProvider } from '@/auth/built-in/provider-window';
import { endpoints } from '@/paths';

interface ProviderButtonsProps {
  /** The page of the app to return to. */
  returnTo: string;
  /** Called when the user has signed in with a passkey. Without it no passkey is offered. */
  onSignedIn?: () => Promise<void>;
}

/**
 * A button for each identity provider of the installation, which leaves the app, and one
 * for passkeys.
 */
export function ProviderButtons({ returnTo, onSignedIn }: ProviderButtonsProps) {
  const { passwords, signInProviders } = useConfiguration();
  const takesPasskey = useHasPasskeys() && onSignedIn !== undefined;
  if (signInProviders.length === 0 && !takesPasskey) return null;
  return (
    <div className="grid gap-3">
      {signInProviders.length > 0 && (
        <ProviderList
          providers={signInProviders}
          onChoose={(id) => goToProvider(endpoints.identity.provider(id).start, returnTo)}
        />
      )}
      {takesPasskey && <PasskeyButton purpose="signIn" onDone={onSignedIn} />}
      {passwords && <OrDivider />}
    </div>
  );
}
