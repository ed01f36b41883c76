import type { Connection } from '@/realtime/connection';
import { followEventStream, type Follow } from './event-stream';
import type { LiveEvent } from '@/realtime/live-events';
import { applyEvent, type Lists } from './page-state';
import { fetchSnapshot } from './snapshot';

interface OpenConnection {
  connection: Connection;
  close: () => void;
}

/** A read of the state, with the events received meanwhile. */
interface Reading {
  lists: Lists;
  events: LiveEvent[];
  left: AbortController;
}

const empty: Lists = { groups: [], components: [], order: [], incidents: [], maintenances: [] };

/** Follows by the socket of a signed-in user; by the event stream after the socket has ended. */
export function followSocket(open: (orgId: string) => OpenConnection): Follow {
  return (orgId, revision, listener) => {
    /** Revision of the page; null once events have changed it. */
    let shown: number | null = revision;
    /**
     * The newest revision whose changes the page certainly contains. Events of the socket carry
     * no revision.
     */
    let contained = revision;
    let reading: Reading | null = null;
    const { connection, close } = open(orgId);

    /** Reads the lists in order with the events, and what they lack from the snapshot. */
    async function readState(joinedAt: number | null) {
      abandon();
      const current: Reading = { lists: empty, events: [], left: new AbortController() };
      reading = current;
      try {
        const [snapshot] = await Promise.all([
          fetchSnapshot(orgId, joinedAt, current.left.signal),
          connection.read('get-components', (components) => {
            current.lists = { ...current.lists, components };
          }),
          connection.read('get-incidents', (incidents) => {
            current.lists = { ...current.lists, incidents };
          }),
          connection.read('get-maintenances', (maintenances) => {
            current.lists = { ...current.lists, maintenances };
          }),
        ]);
        if (reading !== current) return;
        // What this state lacks would come with no later event of the socket.
        if (snapshot.revision < (joinedAt ?? 0)) throw new Error('The state is too old');
        const { components, incidents, maintenances } = current.lists;
        // The snapshot may be older than events that were received meanwhile.
        const { organisation, groups, order, generatedAt } = current.events.reduce(
          applyEvent,
          snapshot,
        );
        abandon();
        contained = joinedAt ?? contained;
        listener.onState({
          ...{ organisation, groups, order, components, incidents, maintenances },
          generatedAt,
        });
        listener.onConnected(true);
      } catch (error) {
        if (reading !== current) return;
        console.error(error);
        fallBack();
      }
    }

    function abandon() {
      reading?.left.abort();
      reading = null;
    }

    let stop = () => {
      abandon();
      stopListening();
      close();
    };

    function fallBack() {
      stop();
      listener.onConnected(false);
      stop = followEventStream(orgId, contained, listener);
    }

    const stopListening = connection.listen({
      onJoined: (joinedAt) => {
        if (joinedAt !== null && joinedAt === shown) listener.onConnected(true);
        else void readState(joinedAt);
      },
      onEvent: (event) => {
        shown = null;
        listener.onEvent(event);
        if (reading) {
          reading.lists = applyEvent(reading.lists, event);
          reading.events.push(event);
        }
      },
      onLost: () => {
        abandon();
        listener.onConnected(false);
      },
      onEnded: fallBack,
    });
    return () => stop();
  };
}
