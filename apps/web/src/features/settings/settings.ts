import { boolean, object, string } from 'yup';
import { limits, line, text } from '@/api/text';
import type { OrganisationSettings, OrganisationSettingsInput } from '@/api/types';

export interface SettingsValues {
  name: string;
  timeZone: string;
  notifyByDefault: boolean;
  /** '' for the name. */
  pageTitle: string;
  pageDescription: string;
  supportUrl: string;
}

const nameRequired = 'Name is required';

export const settingsSchema = object({
  name: line(limits.name).required(nameRequired).min(2, nameRequired),
  timeZone: string()
    .trim()
    .required('Unknown time zone')
    .test('zone', 'Unknown time zone', (name) => isTimeZone(name)),
  notifyByDefault: boolean(),
  pageTitle: line(limits.name),
  pageDescription: text(limits.text),
  supportUrl: line(2000).test(
    'link',
    'Must be an http, https or mailto URL',
    (link) => !link || isLink(link),
  ),
});

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

function isLink(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:', 'mailto:'].includes(new URL(text).protocol);
}

export function settingsValues(settings: OrganisationSettings): SettingsValues {
  const { name, timeZone, notifyByDefault, pageTitle, pageDescription, supportUrl } = settings;
  return {
    name,
    timeZone,
    notifyByDefault,
    pageTitle: pageTitle ?? '',
    pageDescription: pageDescription ?? '',
    supportUrl: supportUrl ?? '',
  };
}

/** Only what differs is sent: with an external identity provider, the name is changed there. */
export function settingsInput(
  values: SettingsValues,
  before: SettingsValues,
): OrganisationSettingsInput {
  const fields = Object.keys(values) as (keyof SettingsValues)[];
  const changed = fields.filter((field) => values[field] !== before[field]);
  return Object.fromEntries(changed.map((field) => [field, values[field]]));
}

/** Names of the IANA time zones that the browser knows. */
export function timeZones(): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return ['Etc/UTC', ...known.filter((name) => name !== 'Etc/UTC' && name !== 'UTC')];
}
