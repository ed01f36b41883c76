import { useEffect, useReducer } from 'react';
import type { Instant, StatusSnapshot } from '@/api/types';
import type { LiveEvent } from '@/realtime/live-events';
import type { Follow } from './event-stream';
import { newsBetween } from './news';
import { applyEvent, type CaughtUp, type PageState } from './page-state';

export type Connection = 'connecting' | 'live' | 'reconnecting';

export interface Live {
  state: PageState;
  connection: Connection;
  /** The last moment for which the state is known to hold; of no interest while live. */
  asOf: Instant;
  /** The last things that were said of it, oldest first. */
  news: readonly { key: number; text: string }[];
  /** How often each thing has changed before the reader's eyes, by its id. */
  changes: Readonly<Record<string, number>>;
}

type Action =
  | { type: 'event'; event: LiveEvent }
  | { type: 'catch-up'; state: CaughtUp }
  | { type: 'connected'; connected: boolean; now: Instant };

/** What the screen reader is still to say; the rest has been said. */
const newsKept = 5;

/** The organisation's state from a snapshot on, live by the way that `follow` takes. */
export function useLive(snapshot: StatusSnapshot, follow: Follow): Live {
  const [live, dispatch] = useReducer(reduce, snapshot, begin);
  const orgId = snapshot.organisation.id;
  const { revision } = snapshot;
  useEffect(
    () =>
      follow(orgId, revision, {
        tell: (event) => dispatch({ type: 'event', event }),
        catchUp: (state) => dispatch({ type: 'catch-up', state }),
        connected: (connected) =>
          dispatch({ type: 'connected', connected, now: new Date().toISOString() }),
      }),
    [follow, orgId, revision],
  );
  return live;
}

export function begin(snapshot: StatusSnapshot): Live {
  const { generatedAt } = snapshot;
  return { state: snapshot, connection: 'connecting', asOf: generatedAt, news: [], changes: {} };
}

export function reduce(live: Live, action: Action): Live {
  switch (action.type) {
    case 'event':
      return move(live, applyEvent(live.state, action.event));
    case 'catch-up':
      return {
        ...move(live, { ...live.state, ...action.state }),
        asOf: action.state.generatedAt,
      };
    case 'connected':
      if (action.connected) return { ...live, connection: 'live' };
      return {
        ...live,
        connection: 'reconnecting',
        asOf: live.connection === 'live' ? action.now : live.asOf,
      };
  }
}

function move(live: Live, state: PageState): Live {
  const found = newsBetween(live.state, state);
  let key = live.news.at(-1)?.key ?? 0;
  const news = [...live.news, ...found.map(({ text }) => ({ key: (key += 1), text }))];
  const changes = { ...live.changes };
  for (const { about } of found) changes[about] = (changes[about] ?? 0) + 1;
  return { ...live, state, news: news.slice(-newsKept), changes };
}
