import { Link } from 'react-router-dom';
import { apiBase, paths } from '@/paths';
import { usePageTitle } from '@/ui/use-page-title';
import { guideGroups } from './guides';

export function OverviewPage() {
  usePageTitle('Documentation');
  return (
    <div className="grid max-w-4xl grid-cols-1 gap-10">
      <header className="grid gap-3">
        <h1 className="text-3xl font-semibold tracking-tight text-ink">Documentation</h1>
        <p className="max-w-2xl text-lg text-pretty text-muted">
          Everything it takes to run Allclear, to build on it and to change it. The guides come with
          the software: what you read here belongs to the version you run.
        </p>
      </header>
      {guideGroups.map(({ title, id, entries }) => (
        <section key={id} aria-labelledby={id} className="grid gap-3">
          <h2
            id={id}
            tabIndex={-1}
            className="scroll-mt-4 text-lg font-semibold text-ink outline-none"
          >
            {title}
          </h2>
          <ul className="grid gap-3 sm:grid-cols-2">
            {entries.map((entry) => (
              <Card key={entry.slug} to={paths.guide(entry.slug)} {...entry} />
            ))}
            {id === 'build' && (
              <Card
                to={paths.apiReference}
                title="API reference"
                summary="Every call with its parameters, its body and its responses."
              />
            )}
          </ul>
        </section>
      ))}
      <p className="text-muted">
        Machines read the API from its{' '}
        <a className="text-accent underline" href={`${apiBase}/openapi.json`}>
          OpenAPI document
        </a>
        .
      </p>
    </div>
  );
}

function Card({ to, title, summary }: { to: string; title: string; summary: string }) {
  return (
    <li>
      <Link
        to={to}
        className="grid h-full content-start gap-1 rounded-lg border border-line bg-surface p-4 shadow-low transition-colors hover:border-line-strong"
      >
        <span className="font-medium text-ink">{title}</span>
        <span className="line-clamp-3 text-sm text-pretty text-muted">{summary}</span>
      </Link>
    </li>
  );
}
