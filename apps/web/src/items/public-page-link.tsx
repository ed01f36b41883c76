import { ExternalLink, Link2 } from 'lucide-react';
import type { OrganisationSettings } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { CopyButton } from '@/ui/copy-button';
import { toast } from '@/ui/toast';

interface PublicPageLinkProps {
  /** One of `paths.publicPages`; undefined while the item is loading. */
  path: string | undefined;
}

/** Leads to the public page of an item, and copies its address for customers. */
export function PublicPageLink({ path }: PublicPageLinkProps) {
  const settings = useQuery<OrganisationSettings>(endpoints.organisationSettings);
  const address = settings.data && path && settings.data.url + path;

  if (settings.error && settings.data === undefined) {
    return (
      <p role="alert" className="flex flex-wrap items-center gap-2 text-sm text-muted">
        The address of the public page could not be loaded. {settings.error.message}
        <Button size="sm" onClick={() => void settings.refresh()}>
          Try Again
        </Button>
      </p>
    );
  }
  return (
    // As large before the address is known, so that nothing moves.
    <>
      <a
        href={address}
        target="_blank"
        rel="noopener"
        aria-disabled={address === undefined}
        className={buttonVariants({ size: 'sm' })}
      >
        <ExternalLink aria-hidden /> Public Page
      </a>
      <CopyButton
        label="Address of the public page"
        value={address}
        icon={Link2}
        onForbidden={() =>
          toast.error(
            'The browser forbids copying here. Copy the address of the link “Public Page”.',
          )
        }
      />
    </>
  );
}
