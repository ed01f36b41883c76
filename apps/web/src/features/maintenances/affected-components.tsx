import type { Component } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { componentsFailed, type Choice } from '@/shared-features/affected/affected';
import { AffectedComponentsField } from '@/shared-features/affected/affected-components-field';
import { LoadFailure } from '@/ui/load-failure';
import { useErrorToast } from '@/ui/use-error-toast';
import type { Maintenance } from './maintenance';

const newRow = { componentId: '' };

interface AffectedComponentsProps {
  /** The components that the maintenance has. Some may be deleted. */
  current?: Maintenance['components'];
}

/**
 * Inside a maintenance's form: the components that are under maintenance while it is in progress.
 */
export function AffectedComponents({ current = [] }: AffectedComponentsProps) {
  const components = useQuery<Component[]>(endpoints.components.list);
  useErrorToast(components.error !== undefined, componentsFailed);
  if (components.error && components.data === undefined) {
    return (
      <LoadFailure
        title="The components could not be loaded"
        reason={components.error.message}
        onRetry={components.refresh}
      />
    );
  }
  const choices = components.data && withCurrent(components.data, current);
  return <AffectedComponentsField choices={choices} noun="maintenance" newRow={newRow} />;
}

function withCurrent(components: readonly Choice[], current: Maintenance['components']): Choice[] {
  const known = new Set(components.map(({ id }) => id));
  const others = current.filter(({ componentId }) => !known.has(componentId));
  return [...components, ...others.map(({ component }) => component)];
}
