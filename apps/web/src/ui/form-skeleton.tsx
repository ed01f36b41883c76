import { Skeleton } from './skeleton';

/** A control of one line, of several lines, or two controls side by side on wide windows. */
type Shape = 'line' | 'text' | readonly ['line', 'line'];

/** As high as the controls themselves. */
const heights = { line: 'h-8 pointer-coarse:h-10', text: 'h-37.5' };

/** Placeholder of a form that loads. */
export function FormSkeleton({ fields }: { fields: readonly Shape[] }) {
  return (
    <div aria-busy className="grid gap-5">
      <span className="sr-only">Loading...</span>
      {fields.map((shape, index) =>
        typeof shape === 'string' ? (
          <FieldSkeleton key={index} height={heights[shape]} />
        ) : (
          <div key={index} className="grid gap-5 sm:grid-cols-2">
            {shape.map((one, at) => (
              <FieldSkeleton key={at} height={heights[one]} />
            ))}
          </div>
        ),
      )}
      <Skeleton className="ml-auto h-8 w-48 pointer-coarse:h-10" />
    </div>
  );
}

function FieldSkeleton({ height }: { height: string }) {
  return (
    <div className="grid gap-1.5">
      <Skeleton className="h-5 w-24" />
      <Skeleton className={height} />
    </div>
  );
}
