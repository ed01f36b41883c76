import reference from '@docs/openapi.json?reference';
import { Link } from 'react-router-dom';
import { apiBase, paths } from '@/paths';
import { usePageTitle } from '@/ui/use-page-title';
import { Contents } from '@/features/documentation/contents';
import { CallCard } from './call-card';
import { FailureTable } from './failure-table';
import { groupTitle } from './group-title';

const sections = [
  ...reference.groups.map(({ name }) => ({ id: name, title: groupTitle(name) })),
  { id: 'failures', title: 'Failures' },
];

/** Every call of the API, from the document that is generated from its handlers. */
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
            that is generated from the server's own handlers. How to get a token and how answers are
            made is in the{' '}
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
              className="scroll-mt-20 text-xl font-semibold text-ink outline-none"
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
