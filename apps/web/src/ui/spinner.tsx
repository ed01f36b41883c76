import LoaderCircle from 'lucide-react/icons/loader-circle';
import { cn } from './cn';

/** A spinner; with a `label` it is announced. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  const icon = <LoaderCircle aria-hidden className={cn('size-4 animate-spin', className)} />;
  if (label === undefined) return icon;
  return (
    <span role="status" className="inline-flex items-center gap-2 text-muted">
      {icon}
      <span>{label}</span>
    </span>
  );
}
