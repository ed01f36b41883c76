import type { Channel } from '@/api/types';

/** The channels with their names, in the order in which they are offered. */
export const channelNames: Record<Channel, string> = {
  email: 'Email',
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
};

export const allChannels = Object.keys(channelNames) as Channel[];
