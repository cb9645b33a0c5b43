import type { DefaultEventsMap, Socket } from 'socket.io';
import type { Caller, Credential } from '#lib/db/catalogue/callers';
import type { SentEvents } from './sent-events.js';
import type { UnsentPackets } from './unsent-packets.js';

/** The live server's data about a connection. */
export interface ConnectionData {
  caller: Caller;
  credential: Credential;
  /** When it connected, by the clock of Postgres, which also stamps events. */
  sinceMs: number;
  /** The team events that it was sent. */
  sent: SentEvents;
  unsent: UnsentPackets;
  /** Ids of the jobs that it follows, or is about to. */
  subscribed: Set<string>;
}

export type LiveSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, ConnectionData>;
