import { useConfiguration } from '@/api/configuration';
import { providerStart } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';

interface ProviderButtonsProps {
  /** The page of the app to return to. */
  returnTo: string;
}

/** A link for each identity provider of the installation. They leave the app. */
export function ProviderButtons({ returnTo }: ProviderButtonsProps) {
  const { passwords, signInProviders } = useConfiguration();
  if (signInProviders.length === 0) return null;
  return (
    <div className="grid gap-3">
      {signInProviders.map(({ id, name }) => (
        <a
          key={id}
          href={providerStart(id, returnTo)}
          className={cn(buttonVariants({ size: 'lg' }), 'w-full')}
        >
          <span className="truncate">Continue with {name}</span>
        </a>
      ))}
      {passwords && (
        <p className="flex items-center gap-3 text-sm text-muted">
          <span aria-hidden className="h-px flex-1 bg-line" />
          or
          <span aria-hidden className="h-px flex-1 bg-line" />
        </p>
      )}
    </div>
  );
}
