import type { DefaultEventsMap, Socket } from 'socket.io';
import type { Caller, Credential } from '#lib/db/catalogue/callers';
import type { SentEvents } from './sent-events.js';
import type { UnsentPackets } from './unsent-packets.js';

/** What the live server knows of a connection. */
export interface ConnectionData {
  caller: Caller;
  credential: Credential;
  /** When it connected, by the clock of Postgres, which also stamps events. */
  sinceMs: number;
  /** The events of its team that it was sent. */
  sent: SentEvents;
  unsent: UnsentPackets;
}

export type LiveSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, ConnectionData>;
