import { type Dispatch, useEffect, useReducer } from 'react';
import type { Instant } from '@/api/types';
import type { LiveEvent } from '@/realtime/live-events';
import { announcementsBetween } from './announcements';
import type { Follow } from './event-stream';
import { applyEvent, limitPast, type CurrentLists, type PageState } from './page-state';
import { fetchSnapshot } from './snapshot';
import { dayOf, hasMovingFigures, withFigures } from './uptime';

export type Connection = 'connecting' | 'live' | 'reconnecting';

export interface Live {
  state: PageState;
  connection: Connection;
  /** Last time at which the state was known to be current; unused while live. */
  asOf: Instant;
  /** The latest announcements for screen readers, oldest first. */
  announcements: readonly { key: number; text: string }[];
  /** Number of changes of each item since the page was opened, by its id. */
  changes: Readonly<Record<string, number>>;
}

type Action =
  | { type: 'event'; event: LiveEvent }
  | { type: 'state'; state: CurrentLists }
  | { type: 'figures'; read: CurrentLists }
  | { type: 'connected'; connected: boolean; now: Instant };

/** Screen readers have read older announcements. */
const announcementsKept = 5;

/** Returns the organisation's state, kept up to date by `follow`. */
export function useLive(snapshot: PageState, follow: Follow): Live {
  const [live, dispatch] = useReducer(reduce, snapshot, initialLive);
  const orgId = snapshot.organisation.id;
  const { revision } = snapshot;
  useEffect(
    () =>
      follow(orgId, revision, {
        onEvent: (event) => dispatch({ type: 'event', event }),
        onState: (state) => dispatch({ type: 'state', state }),
        onConnected: (connected) =>
          dispatch({ type: 'connected', connected, now: new Date().toISOString() }),
      }),
    [follow, orgId, revision],
  );
  useMovingFigures(live.state, dispatch);
  return live;
}

/** Interval in which figures of an outage move, and in which the page notices midnight. */
const figuresMs = 60_000;

/** Reads the figures again while an outage lasts, and when a day begins in the page's time zone. */
function useMovingFigures(state: PageState, dispatch: Dispatch<Action>) {
  const { id, timeZone } = state.organisation;
  const isMoving = hasMovingFigures(state);
  const hasFigures = state.components.some(({ uptime }) => uptime);
  useEffect(() => {
    if (!hasFigures) return;
    const left = new AbortController();
    let day = dayOf(Date.now(), timeZone);
    const timer = window.setInterval(() => {
      const today = dayOf(Date.now(), timeZone);
      if (!isMoving && today === day) return;
      fetchSnapshot(id, null, left.signal).then(
        (read) => {
          day = today;
          if (read) dispatch({ type: 'figures', read });
        },
        // The next reading is soon enough.
        () => undefined,
      );
    }, figuresMs);
    return () => {
      left.abort();
      window.clearInterval(timer);
    };
  }, [id, timeZone, isMoving, hasFigures, dispatch]);
}

export function initialLive(state: PageState): Live {
  const { generatedAt } = state;
  return { state, connection: 'connecting', asOf: generatedAt, announcements: [], changes: {} };
}

export function reduce(live: Live, action: Action): Live {
  switch (action.type) {
    case 'event':
      return withState(live, applyEvent(live.state, action.event));
    case 'state':
      return {
        ...withState(live, { ...live.state, ...action.state }),
        asOf: action.state.generatedAt,
      };
    case 'figures':
      return { ...live, state: withFigures(live.state, action.read) };
    case 'connected':
      if (action.connected) return { ...live, connection: 'live' };
      return {
        ...live,
        connection: 'reconnecting',
        asOf: live.connection === 'live' ? action.now : live.asOf,
      };
  }
}

function withState(live: Live, state: PageState): Live {
  // Before the limit, whose items have not been deleted.
  const found = announcementsBetween(live.state, state);
  let key = live.announcements.at(-1)?.key ?? 0;
  const announcements = [
    ...live.announcements,
    ...found.map(({ text }) => ({ key: (key += 1), text })),
  ].slice(-announcementsKept);
  const changes = { ...live.changes };
  for (const { about } of found) changes[about] = (changes[about] ?? 0) + 1;
  return { ...live, state: limitPast(state), announcements, changes };
}
