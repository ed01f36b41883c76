import type { Socket } from 'socket.io-client';
import type { PublicComponent, PublicIncident, PublicMaintenance } from '@/api/types';
import type { LiveEventArguments, LiveEventName } from './live-events';

/** What the server acknowledges where it refuses. */
interface Refused {
  message: string;
}

type Acknowledge<T> = (answer: T | Refused) => void;

/** The lists of an organisation as the public sees them, by the event that asks for them. */
export interface PublicLists {
  'get-components': PublicComponent[];
  'get-incidents': PublicIncident[];
  'get-maintenances': PublicMaintenance[];
}

type Received = {
  [Name in LiveEventName]: (...args: LiveEventArguments[Name]) => void;
};

type Sent = {
  join: (orgId: string, acknowledge: Acknowledge<{ revision: number }>) => void;
  authenticate: (token: string, acknowledge: Acknowledge<{ expiresAt: string }>) => void;
} & {
  [Name in keyof PublicLists]: (orgId: string, acknowledge: Acknowledge<PublicLists[Name]>) => void;
};

export type LiveSocket = Socket<Received, Sent>;

/** How often, and how long after one another, a lost connection is tried again. */
export const reconnection = {
  reconnectionAttempts: 5,
  reconnectionDelay: 1000,
  reconnectionDelayMax: 5000,
  randomizationFactor: 0.5,
} as const;

/** How long a connection, or an answer, is waited for. */
export const timeoutMs = 20_000;

/**
 * A socket that is not connected yet. The package is loaded here for the first time. `authorise` is asked for the
 * payload of every CONNECT.
 */
export async function createSocket(
  authorise: (give: (payload: { token: string }) => void) => void,
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

/** @throws Error with the server's reason where it refused */
export function accepted<T>(answer: T | Refused): T {
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

function isRefused(answer: unknown): answer is Refused {
  return typeof answer === 'object' && answer !== null && 'message' in answer;
}
