import { roleNames } from '@/auth/permissions';
import { channelNames } from '@/shared-features/subscription/channels';
import { formatInstant } from '@/ui/datetime';
import { componentStyles, incidentStyles, maintenanceStyles } from '@/ui/status-styles';
import { subscriberStatuses } from '@/ui/subscriber-statuses';

const fieldNames: Record<string, string> = {
  // The API spells it so.
  occuredAt: 'Occurred at',
  groupId: 'Group',
};

/** The name of a field as words: `showUptime` is "Show uptime". */
export function fieldName(field: string): string {
  const words = field.replace(/([A-Z])/g, ' $1').toLowerCase();
  return fieldNames[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Fields whose values are words of the API. */
const wordFields = new Set(['status', 'display', 'role', 'channel', 'scope']);

/** The words of the other screens for those of the API. */
const labels: Record<string, string> = {
  ...labelsOf({ ...componentStyles, ...incidentStyles, ...maintenanceStyles }),
  ...labelsOf(subscriberStatuses),
  ...roleNames,
  ...channelNames,
};

function labelsOf(styles: Record<string, { label: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(styles).map(([word, { label }]) => [word, label]));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Names of components and groups by their identifiers. */
export type Names = ReadonlyMap<string, string>;

/** The text of a field's value; undefined if there is none. */
export function valueText(field: string, value: unknown, names: Names): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return stringText(field, value, names);
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? listText(field, value, names) : objectText(value, names);
}

function stringText(field: string, text: string, names: Names): string {
  if (wordFields.has(field)) return labels[text] ?? asWords(text);
  return time.test(text) ? formatInstant(text) : (names.get(text) ?? text);
}

/** `OPEN_WHEN_AFFECTED` is "Open when affected". */
function asWords(text: string): string {
  const words = text.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Each item on a line of its own, or with an empty line between items of several lines. */
function listText(field: string, items: readonly unknown[], names: Names): string | undefined {
  const texts = items.flatMap((item) => valueText(field, item, names) ?? []);
  const separator = texts.some((text) => text.includes('\n')) ? '\n\n' : '\n';
  return texts.length > 0 ? texts.join(separator) : undefined;
}

function objectText(object: object, names: Names): string | undefined {
  const fields = Object.entries(object as Record<string, unknown>);
  // The impact of an incident on a component.
  if ('componentId' in object && 'status' in object && fields.length === 2) {
    const component = valueText('componentId', object.componentId, names);
    return `${component}: ${valueText('status', object.status, names)}`;
  }
  const lines = fields.flatMap(([field, value]) => {
    const text = valueText(field, value, names);
    return text === undefined ? [] : `${fieldName(field)}: ${text}`;
  });
  return lines.length > 0 ? lines.join('\n') : undefined;
}
