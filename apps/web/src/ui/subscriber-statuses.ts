import { CircleCheck, CircleDashed, CircleX, Clock } from 'lucide-react';
import type { SubscriberStatus } from '@/api/types';
import type { StatusBadgeStyle } from './statuses';

export const subscriberStatuses: Record<SubscriberStatus, StatusBadgeStyle> = {
  PENDING: { label: 'Pending', tone: 'degraded', icon: Clock },
  SUBSCRIBED: { label: 'Subscribed', tone: 'operational', icon: CircleCheck },
  UNSUBSCRIBED: { label: 'Unsubscribed', tone: 'major', icon: CircleX },
};

export const verification = {
  verified: { label: 'Verified', tone: 'operational', icon: CircleCheck },
  notVerified: { label: 'Not Verified', tone: 'neutral', icon: CircleDashed },
} as const satisfies Record<string, StatusBadgeStyle>;
