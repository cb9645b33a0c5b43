import { io } from 'socket.io-client';
import { DURABLE_EVENTS, TERMINAL_EVENTS, type DurableName, type Envelope, type Progress, type ResultsBatch, type SubscribeAnswer } from '#lib/contracts/event';
import { isFinished } from '#lib/contracts/job';
import { ApiError } from './api-client.js';

/** What `watchJob` yields: durable events in order, each once; snapshots in between; `truncated` when too much was missed to be told. */
export type WatchEvent =
  | { name: DurableName; event: Envelope }
  | { name: 'tool_eval_progress'; progress: Progress }
  | { name: 'truncated'; from_seq: number };

/**
 * Follows a job until it ends. Survives lost connections and restarted servers: it takes up the log where it was, so nothing is
 * missed and nothing comes twice. Ending the iteration closes the connection.
 *
 * @param afterSeq the last event that is known already; 0 for all of them
 * @throws ApiError when the job cannot be watched, Error when the token is refused
 */
export async function* watchJob(serverUrl: string, token: string, jobId: string, afterSeq = 0): AsyncGenerator<WatchEvent> {
  const socket = io(serverUrl, { auth: { token }, transports: ['websocket'], reconnectionDelayMax: 2000 });
  const queue: (WatchEvent | Error | 'end')[] = [];
  let cursor = afterSeq;
  let notify = (): void => {};
  const push = (entry: WatchEvent | Error | 'end'): void => {
    queue.push(entry);
    notify();
  };
  const take = (name: DurableName, event: Envelope): void => {
    if (event.job_id !== jobId || event.seq <= cursor) return;
    cursor = event.seq;
    push({ name, event });
    if (TERMINAL_EVENTS.includes(name)) push('end');
  };
  for (const name of DURABLE_EVENTS) socket.on(name, (event: Envelope) => take(name, event));
  socket.on('tool_eval_results', ({ job_id, results }: ResultsBatch) => {
    for (const { seq, at, ...data } of results) take('tool_eval_result', { job_id, seq, at, data });
  });
  socket.on('tool_eval_progress', (progress: Progress) => {
    if (progress.job_id === jobId) push({ name: 'tool_eval_progress', progress });
  });
  socket.on('connect', () => {
    socket.emit('subscribe', { job_id: jobId, after_seq: cursor }, (answer: SubscribeAnswer) => {
      if (!answer.ok) return push(new ApiError(answer.error));
      push({ name: 'tool_eval_progress', progress: answer.snapshot.progress });
      if (answer.truncated) {
        cursor = answer.from_seq!;
        push({ name: 'truncated', from_seq: cursor });
      }
      if (isFinished(answer.snapshot.job.status) && answer.snapshot.last_seq <= cursor) push('end');
    });
  });
  socket.on('connect_error', (error) => {
    if (/token/.test(error.message)) push(error);
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') push(new Error('The server ended the connection: the token was revoked.'));
  });
  try {
    for (;;) {
      while (queue.length === 0) await new Promise<void>((resolve) => (notify = resolve));
      const next = queue.shift()!;
      if (next === 'end') return;
      if (next instanceof Error) throw next;
      yield next;
    }
  } finally {
    socket.disconnect();
  }
}
