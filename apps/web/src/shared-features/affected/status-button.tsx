import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

interface StatusButtonProps {
  /** The name of the component. */
  name: string;
  /** What the badges say. */
  statuses: readonly { label: string }[];
  onClick: () => void;
  /** The badges. */
  children: ReactNode;
}

/** The status of a component in its row, which opens the dialog that changes it. */
export function StatusButton({ name, statuses, onClick, children }: StatusButtonProps) {
  const labels = statuses.map(({ label }) => label).join(', ');
  return (
    <button
      type="button"
      aria-label={`Change the status of ${name}: ${labels}`}
      aria-haspopup="dialog"
      data-print="shown"
      onClick={onClick}
      className="-m-1 inline-flex items-center gap-0.5 rounded-lg p-1 text-left text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-10"
    >
      {children}
      <ChevronDown aria-hidden className="size-3.5 shrink-0" />
    </button>
  );
}
