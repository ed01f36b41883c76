import { useFormikContext } from 'formik';
import { useId } from 'react';
import type { Component } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { useChoiceSections } from '@/shared-features/affected/component-groups';
import { Checkbox } from '@/ui/checkbox';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import type { NewGroupValues } from './group';

/** Inside the form of a new group: the components that move into it. Nothing if there are none. */
export function GroupComponentsField() {
  const { values, setFieldValue } = useFormikContext<NewGroupValues>();
  const { data, error, refresh } = useQuery<Component[]>(endpoints.components.list);
  const sections = useChoiceSections(data);
  const hintId = useId();

  if (sections === undefined) {
    return error ? (
      <LoadFailure
        title="The components could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    ) : (
      <div aria-busy>
        <span className="sr-only">Loading...</span>
        <Skeleton className="h-24" />
      </div>
    );
  }
  const choices = sections.flatMap(({ group, choices }) =>
    choices.map((choice) => ({ ...choice, group })),
  );
  if (choices.length === 0) return null;

  function choose(id: string, isChosen: boolean) {
    const others = values.components.filter((other) => other !== id);
    void setFieldValue('components', isChosen ? [...others, id] : others);
  }

  return (
    <fieldset aria-describedby={hintId} className="grid min-w-0 gap-1.5">
      <legend className="mb-1.5 text-sm font-medium text-ink">Components</legend>
      <p id={hintId} className="text-sm text-muted">
        They leave the group that they are in now.
      </p>
      {/* Browsers let the keyboard scroll what has controls in it. */}
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3 pointer-coarse:gap-0">
        {choices.map(({ id, name, group }) => (
          <Checkbox
            key={id}
            label={name}
            description={group !== undefined && `In ${group}`}
            checked={values.components.includes(id)}
            onChange={({ target }) => choose(id, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
