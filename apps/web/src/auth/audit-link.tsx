import { ScrollText } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { Tooltip } from '@/ui/tooltip';
import { useMay } from './permissions';

interface AuditLinkProps {
  /** Identifier of the thing. */
  id: string;
  /** Shown as an icon with this name. */
  iconLabel?: string;
}

/** A link to the changes of a thing in the audit log; nothing for others than admins. */
export function AuditLink({ id, iconLabel }: AuditLinkProps) {
  const isAdmin = useMay('administer');
  if (!isAdmin) return null;
  if (iconLabel !== undefined) {
    return (
      <Tooltip content={iconLabel}>
        <Link
          to={paths.history(id)}
          aria-label={iconLabel}
          className={buttonVariants({ variant: 'ghost', size: 'icon' })}
        >
          <ScrollText aria-hidden />
        </Link>
      </Tooltip>
    );
  }
  return (
    <Link to={paths.history(id)} className={buttonVariants({ size: 'sm' })}>
      <ScrollText aria-hidden /> Audit Log
    </Link>
  );
}
