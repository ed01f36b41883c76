import { boolean, number, object, string } from 'yup';
import { nameRule } from '@/api/name';
import { limits, line, text } from '@/api/text';
import type { OrganisationSettings, OrganisationSettingsInput, PublicChannels } from '@/api/types';
import { zoneOf } from './time-zones';

export interface SettingsValues {
  name: string;
  /** The name of a zone, or what the user has typed for it. */
  timeZone: string;
  notifyByDefault: boolean;
  /** '' for the name. */
  pageTitle: string;
  pageDescription: string;
  supportUrl: string;
  publicChannels: PublicChannels;
  hasReminders: boolean;
  /** What the field holds; '' if it is empty. */
  reminderHours: number | '';
}

const hoursMessage = 'Must be a number from 1 to 720';
const usualReminderHours = 4;

/** The rules of the settings that replace `before`. */
export function settingsSchema(before: Pick<SettingsValues, 'timeZone'>) {
  return object({
    name: nameRule(),
    timeZone: string()
      .trim()
      .required('Unknown time zone')
      .test(
        'zone',
        'Unknown time zone',
        // The browser may not know the stored zone.
        (text) => text === before.timeZone || zoneOf(text) !== undefined,
      ),
    notifyByDefault: boolean(),
    pageTitle: line(limits.name),
    pageDescription: text(limits.text),
    supportUrl: line(2000).test(
      'link',
      'Must be an http, https or mailto URL',
      (link) => !link || isLink(link),
    ),
    reminderHours: number().when('hasReminders', {
      is: true,
      then: (hours) =>
        hours
          .typeError(hoursMessage)
          .required(hoursMessage)
          .integer(hoursMessage)
          .min(1, hoursMessage)
          .max(720, hoursMessage),
      otherwise: (hours) => hours.transform(() => undefined),
    }),
  });
}

function isLink(text: string): boolean {
  const link = /^(https?:\/\/[^/\\\s"<>][^\\\s"<>]*|mailto:[^?#"<>][^"<>]*)$/i;
  if (!URL.canParse(text) || !link.test(text)) return false;
  const { username, password } = new URL(text);
  return !username && !password;
}

export function settingsValues(settings: OrganisationSettings): SettingsValues {
  const { name, timeZone, notifyByDefault, pageTitle, pageDescription, supportUrl } = settings;
  const { publicChannels, reminderHours } = settings;
  return {
    name,
    timeZone,
    notifyByDefault,
    pageTitle: pageTitle ?? '',
    pageDescription: pageDescription ?? '',
    supportUrl: supportUrl ?? '',
    publicChannels,
    hasReminders: typeof reminderHours === 'number',
    reminderHours: reminderHours ?? usualReminderHours,
  };
}

/** Only what differs is sent: with an external identity provider, the name is changed there. */
export function settingsInput(
  values: SettingsValues,
  before: SettingsValues,
): OrganisationSettingsInput {
  const [after, earlier] = [sent(values), sent(before)];
  const fields = Object.keys(after) as (keyof OrganisationSettingsInput)[];
  const changed = fields.filter(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(earlier[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}

function sent({
  hasReminders,
  reminderHours,
  ...fields
}: SettingsValues): OrganisationSettingsInput {
  const timeZone = zoneOf(fields.timeZone) ?? fields.timeZone;
  return {
    ...fields,
    timeZone,
    reminderHours: hasReminders && reminderHours !== '' ? reminderHours : null,
  };
}
