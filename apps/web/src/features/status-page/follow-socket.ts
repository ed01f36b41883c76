import type { Connection } from '@/realtime/connection';
import { followEventStream, type Follow } from './event-stream';
import { applyEvent, type Lists } from './page-state';

interface Opened {
  connection: Connection;
  /** Called when it is no longer of use. */
  close: () => void;
}

const nothing: Lists = { components: [], incidents: [], maintenances: [] };

/** Follows by the socket, as who is signed in does; by the event stream once the socket has come to its end. */
export function followSocket(open: (orgId: string) => Opened): Follow {
  return (orgId, revision, viewer) => {
    /** The revision of what is shown, as long as that is known. */
    let shown: number | null = revision;
    /** What has been read so far of a reading, and what was told since. */
    let reading: { lists: Lists } | null = null;
    const { connection, close } = open(orgId);

    async function readAnew() {
      const mine = { lists: nothing };
      reading = mine;
      try {
        await Promise.all([
          connection.read('get-components', (components) => {
            mine.lists = { ...mine.lists, components };
          }),
          connection.read('get-incidents', (incidents) => {
            mine.lists = { ...mine.lists, incidents };
          }),
          connection.read('get-maintenances', (maintenances) => {
            mine.lists = { ...mine.lists, maintenances };
          }),
        ]);
      } catch (error) {
        if (reading !== mine) return;
        console.error(error);
        leave();
        return;
      }
      if (reading !== mine) return;
      reading = null;
      viewer.catchUp({ ...mine.lists, generatedAt: new Date().toISOString() });
      viewer.connected(true);
    }

    let stop = () => {
      reading = null;
      unfollow();
      close();
    };

    function leave() {
      stop();
      viewer.connected(false);
      stop = followEventStream(orgId, revision, viewer);
    }

    const unfollow = connection.follow({
      joined: (joinedAt) => {
        if (joinedAt !== null && joinedAt === shown) viewer.connected(true);
        else void readAnew();
      },
      tell: (event) => {
        shown = null;
        viewer.tell(event);
        if (reading) reading.lists = applyEvent(reading.lists, event);
      },
      lost: () => {
        reading = null;
        viewer.connected(false);
      },
      ended: leave,
    });
    return () => stop();
  };
}
