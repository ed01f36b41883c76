import { type Dispatch, useEffect, useEffectEvent, useReducer, useRef } from 'react';
import type { Instant } from '@/api/types';
import type { LiveEvent } from '@/realtime/live-events';
import { announcementsBetween } from './announcements';
import { afterConnected, type ConnectionState } from './connection-state';
import type { Follow } from './event-stream';
import { areBarsOld, figuresMs, hasMovingFigures } from './moving-figures';
import { applyEvent, limitPast, type CurrentLists, type PageState } from './page-state';
import { fetchSnapshot } from './snapshot';
import { withFigures } from './uptime';

export interface Live {
  state: PageState;
  connection: ConnectionState;
  /** The latest announcements for screen readers, oldest first. */
  announcements: readonly { key: number; text: string }[];
  /** Number of changes of each item since the page was opened, by its id. */
  changes: Readonly<Record<string, number>>;
}

/** What was known of a page before React. */
export interface LiveStart {
  connection: ConnectionState;
  /** When the state was read, by the clock of the viewer in milliseconds. */
  readAt: number;
}

type Action =
  | { type: 'event'; event: LiveEvent; now: Instant }
  | { type: 'state'; state: CurrentLists }
  | { type: 'figures'; read: PageState }
  | { type: 'connected'; connected: boolean; now: Instant };

const currentTime = () => new Date().toISOString();

/** Screen readers have read older announcements. */
const announcementsKept = 5;

/** Returns the organisation's state, kept up to date by `follow`. */
export function useLive(snapshot: PageState, follow: Follow, start?: LiveStart): Live {
  const [live, dispatch] = useReducer(reduce, snapshot, (state) =>
    initialLive(state, start?.connection),
  );
  const orgId = snapshot.organisation.id;
  const { revision } = snapshot;
  useEffect(
    () =>
      follow(orgId, revision, {
        onEvent: (event) => dispatch({ type: 'event', event, now: currentTime() }),
        onState: (state) => dispatch({ type: 'state', state }),
        onConnected: (connected) => dispatch({ type: 'connected', connected, now: currentTime() }),
      }),
    [follow, orgId, revision],
  );
  useMovingFigures(live.state, dispatch, start?.readAt);
  return live;
}

/**
 * Reads the figures again while an outage lasts, and when a day begins in the page's time zone. A response may still be of the
 * day before. It is then requested each minute for ten minutes, and after that each hour, because the viewer's clock may be wrong.
 */
function useMovingFigures(state: PageState, dispatch: Dispatch<Action>, readAt?: number) {
  /** Number of checks since the bars became old, without failed reads. */
  const checks = useRef(0);
  const check = useEffectEvent((signal: AbortSignal) => {
    checks.current = areBarsOld(state) ? checks.current + 1 : 0;
    const isDue = checks.current > 10 ? checks.current % 60 === 0 : checks.current > 0;
    if (!isDue && !hasMovingFigures(state)) return;
    fetchSnapshot(state.organisation.id, null, signal).then(
      (read) => read && dispatch({ type: 'figures', read }),
      // The next check is soon enough.
      () => (checks.current -= 1),
    );
  });
  useEffect(() => {
    const left = new AbortController();
    if (readAt && Date.now() - readAt >= figuresMs) check(left.signal);
    const timer = window.setInterval(() => check(left.signal), figuresMs);
    return () => {
      left.abort();
      window.clearInterval(timer);
    };
  }, [readAt]);
}

export function initialLive(
  state: PageState,
  connection: ConnectionState = { status: 'connecting', asOf: state.generatedAt },
): Live {
  return { state, connection, announcements: [], changes: {} };
}

export function reduce(live: Live, action: Action): Live {
  switch (action.type) {
    case 'event':
      return withState(live, applyEvent(live.state, action.event), action.now);
    case 'state':
      return {
        ...withState(live, { ...live.state, ...action.state }, action.state.generatedAt),
        connection: { ...live.connection, asOf: action.state.generatedAt },
      };
    case 'figures':
      return {
        ...live,
        state: limitPast(withFigures(live.state, action.read), action.read.generatedAt),
      };
    case 'connected':
      return {
        ...live,
        connection: afterConnected(live.connection, action.connected, action.now),
      };
  }
}

function withState(live: Live, received: PageState, now: Instant): Live {
  // By age alone: items beyond the number of past items were not deleted.
  const state = limitPast(received, now, Infinity);
  const found = announcementsBetween(limitPast(live.state, now, Infinity), state);
  let key = live.announcements.at(-1)?.key ?? 0;
  const announcements = [
    ...live.announcements,
    ...found.map(({ text }) => ({ key: (key += 1), text })),
  ].slice(-announcementsKept);
  const changes = { ...live.changes };
  for (const { about } of found) changes[about] = (changes[about] ?? 0) + 1;
  return { ...live, state: limitPast(state, now), announcements, changes };
}
