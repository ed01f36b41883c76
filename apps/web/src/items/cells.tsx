import { Eye, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useMay } from '@/auth/permissions';
import { buttonVariants } from '@/ui/button-variants';

/** The name of an item in its row. */
export function NameCell({ children }: { children: ReactNode }) {
  return (
    <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
      {children}
    </span>
  );
}

/** Leads from an item's row to its form, which users without the right to write can only read. */
export function EditLink({ name, to }: { name: string; to: string }) {
  const mayWrite = useMay('write');
  return (
    <Link
      to={to}
      aria-label={`${mayWrite ? 'Edit' : 'View'} ${name}`}
      className={buttonVariants({ variant: 'ghost', size: 'icon' })}
    >
      {mayWrite ? <Pencil aria-hidden /> : <Eye aria-hidden />}
    </Link>
  );
}

/** The button above a list that leads to the form of a new item. */
export function NewItemLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={buttonVariants({ variant: 'primary' })}>
      {children}
    </Link>
  );
}
