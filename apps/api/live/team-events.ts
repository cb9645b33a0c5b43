import type { Server } from 'socket.io';
import { TEAM_EVENTS } from '#lib/contracts/values/jobs';
import { areWithin } from '#lib/db/catalogue/named-suites';
import type { Pool } from '#lib/db/connection/pool';
import { parseLogEntry, type LogEntry } from '#lib/db/read/log';
import { readTeamEvents, type TeamEvent } from '#lib/db/read/team-events';
import type { LiveSocket } from './connection.js';
import { toMessage } from './emit-events.js';
import { SentEvents } from './sent-events.js';

/**
 * Events get their timestamp when their transaction begins and become visible when it commits, so consecutive windows
 * overlap generously.
 */
const WINDOW_S = 15;
/** How long sent events are remembered: much longer than they can be found again. */
export const REMEMBER_MS = 75_000;

/** Sends every connection the start and end events of its team's jobs, each once, without a subscription. */
export class TeamEvents {
  /** The same events are found by several reads in a row. */
  readonly #sent = new SentEvents(REMEMBER_MS);

  constructor(
    readonly deps: {
      io: Server;
      pool: Pool;
      /** A subscription sends the job's events itself. */
      isSubscribed: (socket: LiveSocket, jobId: string) => boolean;
      onFailure: (error: unknown, jobId: string) => void;
      onSendFailure: (socket: LiveSocket, error: Error) => void;
    },
  ) {}

  async sendNew(): Promise<void> {
    const sockets: LiveSocket[] = [...this.deps.io.sockets.sockets.values()];
    const teams = Map.groupBy(sockets, (socket) => socket.data.caller.teamId);
    if (teams.size === 0) return;
    const isAnyLimited = sockets.some(({ data }) => data.caller.limits.suiteIds !== null);
    const { pool } = this.deps;
    for (const event of await readTeamEvents(pool, [...teams.keys()], WINDOW_S, TEAM_EVENTS, isAnyLimited)) {
      if (!this.#sent.add(event.job_id, event.seq)) continue;
      try {
        const entry = parseLogEntry(event);
        for (const socket of teams.get(event.team_id) ?? [])
          if (maySee(socket, event)) this.#send(socket, event.job_id, entry);
      } catch (error) {
        this.deps.onFailure(error, event.job_id);
      }
    }
  }

  #send(socket: LiveSocket, jobId: string, entry: LogEntry): void {
    if (entry.at.getTime() < socket.data.sinceMs || this.deps.isSubscribed(socket, jobId)) return;
    if (!socket.data.sent.add(jobId, entry.seq)) return;
    try {
      const [name, message] = toMessage(jobId, entry);
      socket.emit(name, message);
    } catch (error) {
      this.deps.onSendFailure(socket, error as Error);
    }
  }
}

/** Whether the token of a connection may see the job of an event. */
function maySee({ data }: LiveSocket, { suites }: TeamEvent): boolean {
  const { suiteIds } = data.caller.limits;
  return suiteIds === null || areWithin(suites ?? undefined, suiteIds);
}
