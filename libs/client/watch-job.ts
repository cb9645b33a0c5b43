import { io } from 'socket.io-client';
import {
  LOG_EVENT_NAMES,
  TERMINAL_EVENTS,
  type Envelope,
  type LiveMessage,
  type LogEventName,
  type Progress,
  type SubscribeAnswer,
} from '#lib/contracts/event';
import { isFinished } from '#lib/contracts/job';
import { withoutSlash } from '#lib/contracts/url';
import { ApiError } from './api-client.js';

type Logged = { [Name in LogEventName]: { name: Name; event: Envelope<Name> } }[LogEventName];

/**
 * What `watchJob` yields: durable events in order, each once; snapshots in between; `truncated` when too much was
 * missed to be told.
 */
export type WatchEvent =
  Logged | { name: 'tool_eval_progress'; progress: Progress } | { name: 'truncated'; from_seq: number };

/** There is no live connection, and was none for as long as the caller waits: what HTTP answers is still true. */
export class LiveUnavailable extends Error {}

/**
 * A server that cannot answer now is asked again: first after this time, then after twice as long each time, up to
 * the other.
 */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4000;

/**
 * Follows a job until it ends. Survives lost connections, restarted servers, and servers whose database is gone for
 * a while: it takes up the log where it was, so nothing is missed and nothing comes twice. Ending the iteration
 * closes the connection.
 *
 * @param afterSeq the last event that is known already; 0 for all of them
 * @param patienceMs how long it goes on trying without a subscription, each time
 * @throws ApiError when the job cannot be watched, Error when the token is refused, LiveUnavailable when patience ended
 */
export async function* watchJob(
  serverUrl: string,
  token: string,
  jobId: string,
  afterSeq = 0,
  patienceMs = Infinity,
): AsyncGenerator<WatchEvent> {
  const { origin, pathname } = new URL(serverUrl);
  // Of its own (forceNew): a connection that is shared with another watch would end with it.
  const socket = io(origin, {
    path: `${withoutSlash(pathname)}/socket.io`,
    auth: { token },
    transports: ['websocket'],
    reconnectionDelayMax: 2000,
    forceNew: true,
  });
  const queue: (WatchEvent | Error | 'end')[] = [];
  let cursor = afterSeq;
  let notify = (): void => {};
  let whyNot = 'no answer';
  let patience: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let refusals = 0;
  const push = (entry: WatchEvent | Error | 'end'): void => {
    queue.push(entry);
    notify();
  };
  const losePatience = (): void => {
    if (patienceMs === Infinity || patience) return;
    patience = setTimeout(
      () => push(new LiveUnavailable(`No live connection to ${serverUrl} (${whyNot}).`)),
      patienceMs,
    );
  };
  // A socket is told of its team's jobs without asking: what comes too early comes again in its place.
  const take = (logged: Logged): void => {
    const { name, event } = logged;
    if (event.job_id !== jobId || event.seq !== cursor + 1) return;
    cursor = event.seq;
    push(logged);
    if (TERMINAL_EVENTS.includes(name)) push('end');
  };
  for (const name of LOG_EVENT_NAMES) socket.on(name, (event: Envelope) => take({ name, event } as Logged));
  socket.on('tool_eval_results', ({ job_id, results }: LiveMessage<'tool_eval_results'>) => {
    for (const { seq, at, ...data } of results) take({ name: 'tool_eval_result', event: { job_id, seq, at, data } });
  });
  socket.on('tool_eval_progress', (progress: Progress) => {
    if (progress.job_id === jobId) push({ name: 'tool_eval_progress', progress });
  });
  const subscribe = (): void => {
    socket.emit('subscribe', { job_id: jobId, after_seq: cursor }, (answer: SubscribeAnswer) => {
      if (!answer.ok && answer.error.status >= 500) {
        whyNot = answer.error.detail;
        losePatience();
        retry = setTimeout(
          subscribe,
          Math.min(FIRST_RETRY_MS * 2 ** refusals++, LONGEST_RETRY_MS) * (0.5 + Math.random() / 2),
        );
        return;
      }
      refusals = 0;
      clearTimeout(patience);
      patience = undefined;
      if (!answer.ok) return push(new ApiError(answer.error));
      push({ name: 'tool_eval_progress', progress: answer.snapshot.progress });
      if (answer.truncated) {
        cursor = answer.from_seq!;
        push({ name: 'truncated', from_seq: cursor });
      }
      if (isFinished(answer.snapshot.job.status) && answer.snapshot.last_seq <= cursor) push('end');
    });
  };
  socket.on('connect', subscribe);
  socket.on('connect_error', (error) => {
    whyNot = error.message;
    if (/token/.test(error.message)) push(error);
    // What the server's middleware refused is not tried again by itself.
    else if (!socket.active) retry = setTimeout(() => socket.connect(), 1000);
  });
  socket.on('disconnect', (reason) => {
    clearTimeout(retry);
    losePatience();
    if (reason === 'io server disconnect') push(new Error('The server ended the connection: the token was revoked.'));
  });
  losePatience();
  try {
    for (;;) {
      while (queue.length === 0) await new Promise<void>((resolve) => (notify = resolve));
      const next = queue.shift()!;
      if (next === 'end') return;
      if (next instanceof Error) throw next;
      yield next;
    }
  } finally {
    clearTimeout(patience);
    clearTimeout(retry);
    // First: to whoever does not watch any more, a lost connection is nothing to wait for.
    socket.off();
    socket.disconnect();
  }
}
