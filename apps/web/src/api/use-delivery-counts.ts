import { endpoints } from '@/paths';
import type { DeliveryCounts } from './types';
import { usePolling } from './use-polling';
import { useQuery } from './use-query';

/** Intervals of the requests: while messages wait, and otherwise. */
const whileSending = 5000;
const otherwise = 60_000;

/** Counts of the messages to subscribers. They are asked for again and again: no event reports them. */
export function useDeliveryCounts() {
  const query = useQuery<DeliveryCounts>(endpoints.subscribers.deliveries);
  const isSending = query.data !== undefined && query.data.waiting > 0;
  usePolling(query.refresh, isSending ? whileSending : otherwise);
  return query;
}
