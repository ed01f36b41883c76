import { Skeleton } from './skeleton';

/** Holds the place of a form that is loading: `fields` are the heights of its controls. */
export function FormSkeleton({ fields }: { fields: readonly string[] }) {
  return (
    <div aria-busy className="grid gap-5">
      <span className="sr-only">Loading…</span>
      {fields.map((height, index) => (
        <div key={index} className="grid gap-1.5">
          <Skeleton className="h-5 w-24" />
          <Skeleton className={height} />
        </div>
      ))}
      <Skeleton className="ml-auto h-8 w-48" />
    </div>
  );
}
