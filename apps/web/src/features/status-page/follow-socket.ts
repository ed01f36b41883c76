import type { Connection } from '@/realtime/connection';
import { followEventStream, type Follow } from './event-stream';
import { applyEvent, type Lists } from './page-state';

interface OpenConnection {
  connection: Connection;
  close: () => void;
}

const empty: Lists = { components: [], incidents: [], maintenances: [] };

/** Follows by the socket of a signed-in user; by the event stream after the socket has ended. */
export function followSocket(open: (orgId: string) => OpenConnection): Follow {
  return (orgId, revision, listener) => {
    /** Revision of the page; null once events have changed it. */
    let shown: number | null = revision;
    /** The lists that are being read, with the events received meanwhile. */
    let reading: { lists: Lists } | null = null;
    const { connection, close } = open(orgId);

    async function readLists() {
      const current = { lists: empty };
      reading = current;
      try {
        await Promise.all([
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
      } catch (error) {
        if (reading !== current) return;
        console.error(error);
        fallBack();
        return;
      }
      if (reading !== current) return;
      reading = null;
      listener.onState({ ...current.lists, generatedAt: new Date().toISOString() });
      listener.onConnected(true);
    }

    let stop = () => {
      reading = null;
      stopListening();
      close();
    };

    function fallBack() {
      stop();
      listener.onConnected(false);
      stop = followEventStream(orgId, revision, listener);
    }

    const stopListening = connection.listen({
      onJoined: (joinedAt) => {
        if (joinedAt !== null && joinedAt === shown) listener.onConnected(true);
        else void readLists();
      },
      onEvent: (event) => {
        shown = null;
        listener.onEvent(event);
        if (reading) reading.lists = applyEvent(reading.lists, event);
      },
      onLost: () => {
        reading = null;
        listener.onConnected(false);
      },
      onEnded: fallBack,
    });
    return () => stop();
  };
}
