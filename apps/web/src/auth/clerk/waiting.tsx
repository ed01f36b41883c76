import { Skeleton } from '@/ui/skeleton';
import { Spinner } from '@/ui/spinner';

/** Stands where one of Clerk's panels will, while its code is on its way. */
export function PanelWaiting() {
  return (
    <div className="grid min-h-96 place-content-center">
      <Spinner label="Loading..." />
    </div>
  );
}

export function ButtonWaiting() {
  return <Skeleton className="h-7 w-full min-w-7" />;
}
