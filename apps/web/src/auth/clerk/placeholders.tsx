import { Skeleton } from '@/ui/skeleton';
import { Spinner } from '@/ui/spinner';

/** Placeholder of a Clerk component whose code loads. */
export function PanelPlaceholder() {
  return (
    <div className="grid min-h-96 place-content-center">
      <Spinner label="Loading..." />
    </div>
  );
}

export function ButtonPlaceholder() {
  return <Skeleton className="h-7 w-full min-w-7" />;
}
