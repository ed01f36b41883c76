import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { Change } from '@/api/types';
import { useMay } from '@/auth/permissions';
import { paths } from '@/paths';
import {
  changeText,
  deletedTargets,
  joinChanges,
  targetPath,
} from '@/shared-features/audit/change-text';
import { formatInstant } from '@/ui/datetime';
import { formatDuration } from '@/ui/duration';
import { listClass, Section } from './section';

/** How many changes are shown at once. */
const most = 8;

interface LastChangesProps {
  changes: readonly Change[];
  now: number;
}

/** Whether it is a change of what is managed. Sign-ins are in the audit log alone. */
const isNoSignIn = ({ action }: Change) => !action.startsWith('session.');

/** The last changes, by whom and when. */
export function LastChanges({ changes, now }: LastChangesProps) {
  const deleted = useMemo(() => deletedTargets(changes), [changes]);
  const joined = useMemo(() => joinChanges(changes.filter(isNoSignIn)), [changes]);
  const isAdmin = useMay('administer');
  const rest = joined.slice(most);
  return (
    <Section title="Last changes" viewAll={isAdmin ? paths.audit : undefined}>
      {joined.length === 0 ? (
        <p className="px-4 py-5 text-muted">Changes by you and your team appear here.</p>
      ) : (
        <Rows joined={joined.slice(0, most)} deleted={deleted} now={now} />
      )}
      {rest.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-3 text-sm text-muted hover:text-ink">
            {rest.length} more
          </summary>
          <div className="border-t border-line">
            <Rows joined={rest} deleted={deleted} now={now} />
          </div>
        </details>
      )}
    </Section>
  );
}

interface RowsProps {
  joined: ReturnType<typeof joinChanges>;
  deleted: ReturnType<typeof deletedTargets>;
  now: number;
}

function Rows({ joined, deleted, now }: RowsProps) {
  return (
    <ol className={listClass}>
      {joined.map(({ change, count }) => (
        <li key={change.id} className="grid gap-0.5 px-4 py-2.5 text-sm">
          <Sentence change={change} count={count} path={targetPath(change, deleted)} />
          <time
            dateTime={change.createdAt}
            title={formatInstant(change.createdAt)}
            className="text-xs text-muted"
          >
            {ago(change.createdAt, now)}
          </time>
        </li>
      ))}
    </ol>
  );
}

interface SentenceProps {
  change: Change;
  /** Number of equal changes that it stands for. */
  count: number;
  path: string | undefined;
}

function Sentence({ change, count, path }: SentenceProps) {
  const { who, what, name } = changeText(change, count);
  const linkClass = 'rounded-sm font-medium text-ink underline underline-offset-4';
  return (
    <p className="line-clamp-3 wrap-anywhere text-muted">
      <bdi className="font-medium text-ink">{who}</bdi> {what}{' '}
      {name !== undefined &&
        (path ? (
          <Link to={path} className={linkClass}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi className="font-medium text-ink">{name}</bdi>
        ))}
    </p>
  );
}

function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  return seconds < 60 ? 'just now' : `${formatDuration(seconds)} ago`;
}
