import type { Socket } from 'socket.io-client';
import type { PublicComponent, PublicIncident, PublicMaintenance } from '@/api/types';
import type { LiveEventArguments, LiveEventName } from './live-events';

/** The acknowledgement of a rejected event. */
interface Rejection {
  message: string;
}

type Acknowledge<T> = (reply: T | Rejection) => void;

/** What the server acknowledges, by event. The lists are those that the public sees. */
export interface OrderedReplies {
  join: { revision: number };
  'get-components': PublicComponent[];
  'get-incidents': PublicIncident[];
  'get-maintenances': PublicMaintenance[];
}

type Received = {
  [Name in LiveEventName]: (...args: LiveEventArguments[Name]) => void;
};

type Sent = {
  authenticate: (token: string, acknowledge: Acknowledge<{ expiresAt: string }>) => void;
} & {
  [Name in keyof OrderedReplies]: (
    orgId: string,
    acknowledge: Acknowledge<OrderedReplies[Name]>,
  ) => void;
};

export type LiveSocket = Socket<Received, Sent>;

/** Number and delays of the attempts to reconnect. */
export const reconnection = {
  reconnectionAttempts: 5,
  reconnectionDelay: 1000,
  reconnectionDelayMax: 5000,
  randomizationFactor: 0.5,
} as const;

/** Delay before the next attempt after this number of rejections, by socket.io's own rule. */
export function retryDelayMs(rejections: number): number {
  const { reconnectionDelay, reconnectionDelayMax, randomizationFactor } = reconnection;
  const delay = Math.min(reconnectionDelay * 2 ** rejections, reconnectionDelayMax);
  return delay * (1 + randomizationFactor * (2 * Math.random() - 1));
}

/** Timeout of a connection and of an acknowledgement. */
export const timeoutMs = 20_000;

/**
 * Creates a socket that is not connected. Loads its package on first use. Calls `authorise` for
 * every CONNECT.
 */
export async function createSocket(
  authorise: (send: (payload: { token: string }) => void) => void,
): Promise<LiveSocket> {
  const { io } = await import('socket.io-client');
  return io({
    path: '/socket.io',
    autoConnect: false,
    forceNew: true,
    timeout: timeoutMs,
    ...reconnection,
    auth: authorise,
  });
}

/**
 * Sends an event. `onReply` or `onError` runs before the handlers of any event that arrives after
 * the acknowledgement.
 */
export function emitInOrder<Name extends keyof OrderedReplies>(
  socket: LiveSocket,
  name: Name,
  orgId: string,
  onReply: (reply: OrderedReplies[Name]) => void,
  onError: (error: Error) => void,
): void {
  const emitter = socket.timeout(timeoutMs) as unknown as Emitter<OrderedReplies[Name]>;
  emitter.emit(name, orgId, (error, reply) => {
    try {
      if (error) throw error;
      onReply(accepted(reply));
    } catch (reason) {
      onError(reason instanceof Error ? reason : new Error(String(reason)));
    }
  });
}

/** One signature for all events of `OrderedReplies`. */
interface Emitter<Reply> {
  emit: (
    name: string,
    orgId: string,
    acknowledge: (error: Error | null, reply: Reply | Rejection) => void,
  ) => void;
}

/** @throws Error with the server's reason if it rejected the event */
export function accepted<T>(reply: T | Rejection): T {
  if (isRejection(reply)) throw new Error(reply.message);
  return reply;
}

function isRejection(reply: unknown): reply is Rejection {
  return typeof reply === 'object' && reply !== null && 'message' in reply;
}
