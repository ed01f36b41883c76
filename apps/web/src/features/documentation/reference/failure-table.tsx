import type { Answer } from '@build/api-reference';
import { Code } from './code';

/** What the statuses mean that calls share. */
export function FailureTable({ failures }: { failures: readonly Answer[] }) {
  return (
    <section aria-labelledby="failures" className="grid grid-cols-1 gap-4">
      <h2
        id="failures"
        tabIndex={-1}
        className="scroll-mt-20 text-xl font-semibold text-ink outline-none"
      >
        Failures
      </h2>
      <p className="text-muted">
        <Code text="A failure is `application/problem+json` with `status`, `title`, `detail`, a `message` fit to show a person and, for 422, `errors`: the fields that are not right." />
      </p>
      <dl className="grid grid-cols-1 divide-y divide-line rounded-lg border border-line bg-surface">
        {failures.map(({ status, description }) => (
          <div key={status} className="flex gap-4 px-4 py-2.5">
            <dt className="font-mono text-ink">{status}</dt>
            <dd className="text-muted">
              <Code text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
