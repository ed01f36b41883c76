import reference from '@docs/openapi.json?reference';
import { Link } from 'react-router-dom';
import { Contents } from '@/features/documentation/contents';
import { apiBase, paths } from '@/paths';
import { usePageTitle } from '@/ui/use-page-title';
import type { DocumentedResponse } from '@build/api-reference';
import { CallCard } from './call-card';
import { Code } from './code';

const sections = [
  ...reference.groups.map(({ name }) => ({ id: name, title: groupTitle(name) })),
  { id: 'failures', title: 'Failures' },
];

/** The reference of the API, from the generated OpenAPI document. */
export function ReferencePage() {
  usePageTitle('API reference');
  return (
    <div className="grid grid-cols-1 gap-12 xl:grid-cols-[minmax(0,50rem)_13rem] xl:justify-between">
      <div className="grid min-w-0 grid-cols-1 content-start gap-12">
        <header className="grid gap-3">
          <h1 className="text-3xl font-semibold tracking-tight text-ink">API reference</h1>
          <p className="max-w-2xl text-lg text-pretty text-muted">
            Every call, from the{' '}
            <a className="text-accent underline" href={`${apiBase}/openapi.json`}>
              OpenAPI document
            </a>{' '}
            that is generated from the server's own handlers. How to get a token and how responses
            are made is in the{' '}
            <Link className="text-accent underline" to={paths.guide('api')}>
              guide to the API
            </Link>
            .
          </p>
        </header>
        {reference.groups.map(({ name, calls }) => (
          <section key={name} aria-labelledby={name} className="grid grid-cols-1 gap-4">
            <h2
              id={name}
              tabIndex={-1}
              className="scroll-mt-4 text-xl font-semibold text-ink outline-none"
            >
              {groupTitle(name)}
            </h2>
            {calls.map((call) => (
              <CallCard key={call.id} call={call} />
            ))}
          </section>
        ))}
        <FailureTable failures={reference.failures} />
      </div>
      <Contents sections={sections} />
    </div>
  );
}

/** The statuses that all endpoints share. */
function FailureTable({ failures }: { failures: readonly DocumentedResponse[] }) {
  return (
    <section aria-labelledby="failures" className="grid grid-cols-1 gap-4">
      <h2
        id="failures"
        tabIndex={-1}
        className="scroll-mt-4 text-xl font-semibold text-ink outline-none"
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

/** Heading of the endpoints with a tag. */
function groupTitle(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ');
}
