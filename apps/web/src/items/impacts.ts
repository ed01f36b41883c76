import type { ComponentStatus } from '@/api/types';

/** New statuses of components in an incident, by their ids. Other components keep theirs. */
export type Impacts = Readonly<Record<string, ComponentStatus>>;

/** The values of a form that changes impacts. */
export interface ImpactValues {
  impacts: Impacts;
}

/** Converts the impacts for the API. */
export function impactsInput(impacts: Impacts) {
  return Object.entries(impacts).map(([componentId, status]) => ({ componentId, status }));
}
