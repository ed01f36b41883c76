import { type Dispatch, useEffect, useEffectEvent, useReducer, useRef } from 'react';
import type { Instant } from '@/api/types';
import type { LiveEvent } from '@/realtime/live-events';
import { announcementsBetween, foldComponents, type Announcement } from './announcements';
import { afterConnected, type ConnectionState } from './connection-state';
import type { Follow } from './event-stream';
import { areBarsOld, figuresMs, hasMovingFigures } from './moving-figures';
import { applyEvent, limitPast, type CurrentLists, type PageState } from './page-state';
import type { FetchSnapshot } from './snapshot';
import { withFigures } from './uptime';

export interface Live {
  state: PageState;
  connection: ConnectionState;
  /** Changes that are announced soon, oldest first. */
  unannounced: readonly Announcement[];
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
  | { type: 'connected'; connected: boolean; now: Instant }
  | { type: 'announce' };

const currentTime = () => new Date().toISOString();

/** Changes within this time are announced together: one commit may send many events. */
const togetherMs = 500;
/** Number of announcements. Screen readers have read older ones. */
const announcementsKept = 40;

/**
 * Returns the organisation's state, kept up to date by `follow`, and its figures by
 * `fetchSnapshot`. The first script of the page has the code of both and hands it over.
 */
export function useLive(
  snapshot: PageState,
  follow: Follow,
  fetchSnapshot: FetchSnapshot,
  start?: LiveStart,
): Live {
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
  const [first] = live.unannounced;
  useEffect(() => {
    const timer = first && setTimeout(() => dispatch({ type: 'announce' }), togetherMs);
    return () => clearTimeout(timer);
  }, [first]);
  useMovingFigures(live.state, dispatch, fetchSnapshot, start?.readAt);
  return live;
}

/**
 * Reads the figures again while an outage lasts, when a day begins in the page's time zone, and
 * after a change of that zone. A response may still be of the day or the zone before. It is then
 * requested each minute for ten minutes, and after that each hour, because the viewer's clock may
 * be wrong. A hidden page waits until it is shown.
 */
function useMovingFigures(
  state: PageState,
  dispatch: Dispatch<Action>,
  fetchSnapshot: FetchSnapshot,
  readAt?: number,
) {
  /** Number of checks since the figures became old, without failed reads. */
  const checks = useRef(0);
  const { timeZone } = state.organisation;
  /** Time zone of the days that the figures belong to. */
  const zone = useRef(timeZone);
  const check = useEffectEvent((signal: AbortSignal) => {
    const areOld = areBarsOld(state) || zone.current !== timeZone;
    checks.current = areOld ? checks.current + 1 : 0;
    const isDue = checks.current > 10 ? checks.current % 60 === 0 : checks.current > 0;
    if (!isDue && !hasMovingFigures(state)) return;
    fetchSnapshot(state.organisation.id, null, signal).then(
      (read) => {
        zone.current = read.organisation.timeZone;
        dispatch({ type: 'figures', read });
      },
      // The next check is soon enough.
      () => (checks.current -= 1),
    );
  });
  useEffect(() => {
    const left = new AbortController();
    let isDue =
      zone.current !== timeZone || (readAt !== undefined && Date.now() - readAt >= figuresMs);
    const checkIfDue = () => {
      if (!isDue || document.hidden) return;
      isDue = false;
      check(left.signal);
    };
    // Pages that have loaded React at the same event, or received the same one, do not
    // read together.
    const soon = setTimeout(checkIfDue, 5000 * Math.random());
    document.addEventListener('visibilitychange', checkIfDue, { signal: left.signal });
    const interval = figuresMs * (1 + Math.random() / 5);
    const timer = setInterval(() => {
      isDue = true;
      checkIfDue();
    }, interval);
    return () => {
      left.abort();
      clearTimeout(soon);
      clearInterval(timer);
    };
  }, [readAt, timeZone]);
}

export function initialLive(
  state: PageState,
  connection: ConnectionState = { status: 'connecting', asOf: state.generatedAt },
): Live {
  return { state, connection, unannounced: [], announcements: [], changes: {} };
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
    case 'announce':
      return announced(live);
  }
}

function announced(live: Live): Live {
  let key = live.announcements.at(-1)?.key ?? 0;
  const latest = foldComponents(live.unannounced).map(({ text }) => ({ key: (key += 1), text }));
  const announcements = [...live.announcements, ...latest].slice(-announcementsKept);
  return { ...live, unannounced: [], announcements };
}

function withState(live: Live, received: PageState, now: Instant): Live {
  // By age alone: items beyond the number of past items were not deleted.
  const state = limitPast(received, now, Infinity);
  const found = announcementsBetween(limitPast(live.state, now, Infinity), state);
  const changes = { ...live.changes };
  for (const { about } of found) changes[about] = (changes[about] ?? 0) + 1;
  const unannounced = [...live.unannounced, ...found];
  return { ...live, state: limitPast(state, now), unannounced, changes };
}
