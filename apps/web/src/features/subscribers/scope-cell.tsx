import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { Incident, Subscriber } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints, paths } from '@/paths';
import { useComponentNames, useUniqueName } from '@/shared-features/affected/component-groups';
import { scopeNames, scopeText } from './subscriber';

/** What a subscriber receives, with the names of what it has chosen. */
export function ScopeCell({ subscriber }: { subscriber: Subscriber }) {
  const { scope, incidentId } = subscriber;
  if (incidentId !== null) return <FollowedIncident id={incidentId} />;
  if (scope === 'COMPONENTS') return <Chosen subscriber={subscriber} />;
  return scopeText(subscriber);
}

/** Number of names that are shown at first. */
const firstNames = 2;

/** Components and groups: the first ones, and all of them once it is pressed. */
function Chosen({ subscriber }: { subscriber: Subscriber }) {
  const names = useNamesOfChosen(subscriber);
  const [isOpen, setIsOpen] = useState(false);
  if (names === undefined || names.length <= firstNames) {
    return (
      <span dir="auto" className="line-clamp-3 wrap-anywhere">
        {scopeText(subscriber, names)}
      </span>
    );
  }
  const more = `${names.length - firstNames} more`;
  return (
    <button
      type="button"
      dir="auto"
      aria-expanded={isOpen}
      className="max-w-full rounded-sm text-left wrap-anywhere underline decoration-line-strong decoration-dotted underline-offset-4 hover:decoration-current"
      onClick={() => setIsOpen(!isOpen)}
    >
      {scopeText(subscriber, isOpen ? names : [...names.slice(0, firstNames), more])}
    </button>
  );
}

/** The names of what is chosen; undefined while they are read, or if one is unknown. */
function useNamesOfChosen({ components, groups }: Subscriber): string[] | undefined {
  const { names } = useComponentNames();
  const uniqueName = useUniqueName();
  const ids = [...(components ?? []), ...(groups ?? [])];
  const found = ids.flatMap((id) => {
    const name = names?.get(id);
    return name === undefined ? [] : [uniqueName({ id, name })];
  });
  return found.length === ids.length ? found : undefined;
}

/** The incident that a subscriber follows. */
function FollowedIncident({ id }: { id: string }) {
  const { data, error } = useQuery<Incident>(endpoints.incidents.item(id));
  if (error?.status === 404) return 'A deleted incident';
  if (data === undefined) return scopeNames.INCIDENT;
  return (
    <Link
      to={paths.incidents.edit(id)}
      dir="auto"
      className="line-clamp-3 rounded-sm wrap-anywhere text-ink underline-offset-4 hover:underline"
    >
      {data.title}
    </Link>
  );
}
