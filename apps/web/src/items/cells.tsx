import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { buttonVariants } from '@/ui/button-variants';

/** The name of an item in its row. */
export function NameCell({ children }: { children: ReactNode }) {
  return (
    <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
      {children}
    </span>
  );
}

/** Leads from an item's row to its form. */
export function EditLink({ name, to }: { name: string; to: string }) {
  return (
    <Link
      to={to}
      aria-label={`Edit ${name}`}
      className={buttonVariants({ variant: 'ghost', size: 'icon' })}
    >
      <Pencil aria-hidden />
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
