import type { Server } from 'socket.io';
import type { Envelope, Progress, ServerMessage } from '#lib/contracts/event';
import type { RunTarget } from '#lib/contracts/run-target';
import type { LogEntry, WatchedJob } from '#lib/db/read/log';
import type { LiveSocket } from './connection.js';

/**
 * A job's log is read four times a second, so sending more results than this one by one would exceed twenty messages a
 * second.
 */
const MAX_SINGLE_RESULTS = 5;

/** Sends messages to all of these sockets. Socket.IO encodes each message once for all of them. */
export function emitTo(io: Server, sockets: readonly LiveSocket[], messages: readonly ServerMessage[]): void {
  if (sockets.length === 0) return;
  const room = io.to(sockets.map(({ id }) => id));
  for (const [name, message] of messages) room.emit(name, message);
}

/** The event for a log entry: `tool_eval_result`, `job_completed` and so on. */
export const toMessage = (jobId: string, { name, seq, at, data }: LogEntry): ServerMessage =>
  [name, { job_id: jobId, seq, at: at.toISOString(), data } satisfies Envelope] as ServerMessage;

/** The events of log entries, in order. With `batch`, a long sequence of results becomes one `tool_eval_results`. */
export function toMessages(jobId: string, entries: readonly LogEntry[], batch: boolean): ServerMessage[] {
  const messages: ServerMessage[] = [];
  for (let i = 0; i < entries.length; i++) {
    const results = batch ? resultsFrom(entries, i) : [];
    if (results.length <= MAX_SINGLE_RESULTS) {
      messages.push(toMessage(jobId, entries[i]!));
      continue;
    }
    i += results.length - 1;
    messages.push([
      'tool_eval_results',
      {
        job_id: jobId,
        from_seq: results[0]!.seq,
        to_seq: results.at(-1)!.seq,
        results: results.map(({ seq, at, data }) => ({ seq, at: at.toISOString(), ...data })),
      },
    ]);
  }
  return messages;
}

type ResultEntry = LogEntry & { name: 'tool_eval_result' };

/** The unbroken sequence of results that begins at an index. */
function resultsFrom(entries: readonly LogEntry[], from: number): ResultEntry[] {
  const results = [];
  for (let i = from; entries[i]?.name === 'tool_eval_result'; i++) results.push(entries[i] as ResultEntry);
  return results;
}

/**
 * For a run, the progress of the whole run, including results from before a resume; for another job, its own progress.
 */
export function progressOf({ id, last_seq: seq, done, total }: WatchedJob, targets: RunTarget[]): Progress {
  const sum = (key: 'settled' | 'total'): number => targets.reduce((all, target) => all + target[key], 0);
  return {
    job_id: id,
    seq,
    ...(targets.length ? { current: sum('settled'), total: sum('total') } : { current: done, total }),
    targets,
  };
}
