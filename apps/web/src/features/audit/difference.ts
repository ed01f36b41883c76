/** A field of a thing before and after a change. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
  isChanged: boolean;
}

/** The fields of both states, the changed ones first. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(fresh), ...Object.keys(old)])];
  const fields = names.map((field) => ({
    field,
    before: old[field],
    after: fresh[field],
    isChanged: JSON.stringify(old[field]) !== JSON.stringify(fresh[field]),
  }));
  return [
    ...fields.filter(({ isChanged }) => isChanged),
    ...fields.filter(({ isChanged }) => !isChanged),
  ];
}

/** A state of several things, such as deleted updates, is one field. */
function fieldsOf(state: unknown): Record<string, unknown> {
  if (state === null || state === undefined) return {};
  return typeof state === 'object' && !Array.isArray(state)
    ? (state as Record<string, unknown>)
    : { items: state };
}
