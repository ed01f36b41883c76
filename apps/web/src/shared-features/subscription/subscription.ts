import { mixed, object, string } from 'yup';
import { emailAddress } from '@/api/rules';
import type { Channel, SubscriberInput } from '@/api/types';
import { allChannels } from './channels';
import { everything, newScopeSchema, scopeInput, type ScopeValues } from './scope';

export interface SubscriptionValues extends ScopeValues {
  channel: Channel;
  email: string;
  target: string;
}

export const subscriptionSchema = newScopeSchema.concat(
  object({
    channel: mixed<Channel>().oneOf(allChannels).required(),
    email: string().when('channel', {
      is: 'email',
      then: () => emailAddress(),
    }),
    target: string().when('channel', {
      is: (channel: Channel) => channel !== 'email',
      then: (target) =>
        target
          .trim()
          .required('URL is required')
          .test('link', 'Must be a link that begins with https://', isLink),
    }),
  }),
);

/** The text of a failure without a message of the server. */
export const notCreated = 'Failed to create subscriber';

/** Some installations allow http, so the server decides about it. */
function isLink(text: string): boolean {
  return URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol);
}

export function subscriptionValues(channel: Channel): SubscriptionValues {
  return { channel, email: '', target: '', ...everything };
}

/** The body of a request that adds a subscriber. Defaults are left out. */
export function subscriptionInput(values: SubscriptionValues): SubscriberInput {
  const { components, groups, muteMaintenances } = scopeInput(values);
  return {
    ...(values.channel === 'email'
      ? { email: values.email.trim() }
      : { channel: values.channel, target: values.target.trim() }),
    ...(components && { components }),
    ...(groups && { groups }),
    ...(muteMaintenances && { muteMaintenances }),
  };
}
