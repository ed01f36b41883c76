import { Check, ExternalLink, Link2 } from 'lucide-react';
import { useState } from 'react';
import type { OrganisationSettings } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { IconButton } from '@/ui/icon-button';
import { toast } from '@/ui/toast';

interface PublicPageLinkProps {
  /** One of `paths.publicPages`; undefined while the item is loading. */
  path: string | undefined;
}

const label = 'Address of the public page';

/** Leads to the public page of an item, and copies its address for customers. */
export function PublicPageLink({ path }: PublicPageLinkProps) {
  const { data: settings } = useQuery<OrganisationSettings>(endpoints.organisationSettings);
  const address = settings && path && settings.url + path;
  const [copied, setCopied] = useState<string>();
  const isCopied = address !== undefined && copied === address;

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      // Browsers may forbid the clipboard on pages without TLS.
      toast.error('The browser forbids copying here. Copy the address of the link “Public Page”.');
    }
  }

  return (
    // As large before the address is known, so that nothing moves.
    <>
      <a
        href={address}
        aria-disabled={address === undefined}
        className={buttonVariants({ size: 'sm' })}
      >
        <ExternalLink aria-hidden /> Public Page
      </a>
      <IconButton
        label={isCopied ? `Copied: ${label}` : `Copy: ${label}`}
        icon={isCopied ? <Check aria-hidden /> : <Link2 aria-hidden />}
        disabled={address === undefined}
        onClick={() => address !== undefined && void copy(address)}
      />
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
