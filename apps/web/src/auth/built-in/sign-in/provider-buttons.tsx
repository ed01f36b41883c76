import { useConfiguration } from '@/api/configuration';
import { OrDivider, ProviderList } from '@/auth/built-in/provider-list';
import { goToProvider } from '@/auth/built-in/provider-window';
import { endpoints } from '@/paths';

interface ProviderButtonsProps {
  /** The page of the app to return to. */
  returnTo: string;
}

/** A button for each identity provider of the installation. They leave the app. */
export function ProviderButtons({ returnTo }: ProviderButtonsProps) {
  const { passwords, signInProviders } = useConfiguration();
  if (signInProviders.length === 0) return null;
  return (
    <div className="grid gap-3">
      <ProviderList
        providers={signInProviders}
        onChoose={(id) => goToProvider(endpoints.identity.provider(id).start, returnTo)}
      />
      {passwords && <OrDivider />}
    </div>
  );
}
