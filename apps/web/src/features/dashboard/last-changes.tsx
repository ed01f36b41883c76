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

interface LastChangesProps {
  changes: readonly Change[];
  now: number;
}

/** The last changes, by whom and when. */
export function LastChanges({ changes, now }: LastChangesProps) {
  const deleted = useMemo(() => deletedTargets(changes), [changes]);
  const joined = useMemo(() => joinChanges(changes), [changes]);
  const isAdmin = useMay('administer');
  return (
    <Section
      title="Last changes"
      link={isAdmin ? { to: paths.audit, text: 'All changes' } : undefined}
    >
      {changes.length === 0 ? (
        <p className="px-4 py-5 text-muted">Changes by you and your team appear here.</p>
      ) : (
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
      )}
    </Section>
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
