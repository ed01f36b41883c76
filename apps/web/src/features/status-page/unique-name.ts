import type { Lists } from './page-state';

/**
 * Returns the name of a component. One that several components have gets that of its
 * group: `API (Europe)`.
 */
export function uniqueName({ components, groups, order }: Lists, id: string, name: string): string {
  const isShared = components.filter((component) => component.name === name).length > 1;
  const isGroup = (group: { id: string }) =>
    order.some((entry) => entry.id === group.id && entry.components.includes(id));
  const group = isShared && groups.find(isGroup);
  return group ? `${name} (${group.name})` : name;
}
