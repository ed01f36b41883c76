import { Skeleton } from '@/ui/skeleton';
import { PageFrame } from './page-frame';

/** Holds the places of the page while its first state is on the way. */
export function LoadingView() {
  return (
    <PageFrame
      heading={
        <h1 className="text-2xl sm:text-3xl">
          <span className="sr-only">Loading the status page</span>
          <Skeleton className="h-8 w-56 max-w-full sm:h-9.5" />
        </h1>
      }
    >
      <div aria-busy className="grid gap-8">
        <Skeleton className="h-22 rounded-xl" />
        <Skeleton className="h-7 w-36" />
        <Skeleton className="h-48 rounded-lg" />
      </div>
    </PageFrame>
  );
}
