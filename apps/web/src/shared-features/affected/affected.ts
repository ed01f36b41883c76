import type { ComponentStatus } from '@/api/types';

/** A component that an incident or a maintenance affects, as its form has it. */
export interface Affected {
  /** '' until a component is chosen. */
  componentId: string;
  /** Absent for a maintenance. */
  status?: ComponentStatus;
}

/** The values of a form with affected components. */
export interface AffectedValues {
  components: Affected[];
}

/** The toast if the components could not be read. */
export const componentsFailed = 'Error while fetching components';

/** A component to choose. */
export interface Choice {
  id: string;
  name: string;
}
