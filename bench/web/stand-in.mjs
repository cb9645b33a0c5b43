// A fake API: serves the built page as the API does, answers the requests of a run's page, and plays the log of a run
// over Socket.IO at any speed.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fastify from 'fastify';
import { Server } from 'socket.io';
import { ME, listedResult, replayedRun } from './replayed-run.mjs';

const BATCH = 500;
const PROGRESS_GAP_MS = 250;
const LISTED = 50;

/**
 * @param results of the run @param perSecond results per second once `play` is called
 * @param checkout whose page is served, built; this one by default
 * @returns its address, the run, the requested paths that it does not have, `play`, and `close`
 */
export async function startStandIn({ results, perSecond, checkout = join(import.meta.dirname, '../..') }) {
  const run = replayedRun(results);
  const unanswered = new Set();
  const app = fastify();
  answerRequests(app, run, unanswered);
  const { serveWeb } = await import(pathToFileURL(join(checkout, 'dist/apps/api/web/serve-web.js')).href);
  await serveWeb(app);
  const io = new Server(app.server);
  const subscribed = new Promise((resolve) => io.on('connection', (socket) => answerPackets(socket, run, resolve)));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    run,
    unanswered,
    /** Resolves when the page has subscribed. */
    subscribed,
    play: () => play(io, run, perSecond),
    close: async () => {
      await io.close();
      await app.close();
    },
  };
}

function answerRequests(app, run, unanswered) {
  const history = `/api/tool-eval/history/${run.id}`;
  const page = (items) => ({ items, next_cursor: null });
  app.get('/api/me', () => ME);
  for (const list of ['tool-suites', 'providers', 'lanes']) app.get(`/api/${list}`, () => page([]));
  app.get('/api/tool-eval/history', () => page([run.run()]));
  app.get(history, () => run.run());
  app.get(`${history}/ranking`, () => run.ranking());
  app.get(`${history}/results`, () => {
    const { current } = run.progress();
    const from = Math.max(0, current - LISTED);
    return page(Array.from({ length: current - from }, (_, index) => listedResult(from + index)));
  });
  app.get('/api/jobs', ({ query }) => page(!query.status || query.status === run.job().status ? [run.job()] : []));
  app.get(`/api/jobs/${run.jobId}`, () => run.job());
  app.get('/api/*', ({ url }, reply) => {
    unanswered.add(url);
    reply.status(404).type('application/problem+json');
    return { type: 'about:blank', title: 'Not Found', status: 404, detail: `The stand-in has no ${url}.` };
  });
}

function answerPackets(socket, run, onSubscribed) {
  socket.on('subscribe', (packet, answer) => {
    answer?.({
      ok: true,
      snapshot: { job: run.job(), progress: run.progress(), summaries: run.summaries(), last_seq: run.lastSeq() },
      // A reconnecting client reads what it missed over HTTP.
      ...(packet.after_seq < run.lastSeq() && { truncated: true, from_seq: run.lastSeq() }),
    });
    void socket.join(packet.job_id);
    onSubscribed();
  });
  socket.on('unsubscribe', (packet, answer) => {
    void socket.leave(packet.job_id);
    answer?.({ ok: true });
  });
}

/** Ends with the run. Everything due by the clock is sent, so that a late timer does not slow it down. */
async function play(io, run, perSecond) {
  const room = io.to(run.jobId);
  const started = performance.now();
  let sent = 0;
  let progressAt = 0;
  while (!run.isDone()) {
    const elapsedMs = performance.now() - started;
    for (; sent + BATCH <= (elapsedMs / 1000) * perSecond && !run.isDone(); sent += BATCH)
      emitResults(room, run.jobId, run.settle(BATCH));
    if (elapsedMs >= progressAt) {
      room.emit('tool_eval_progress', run.progress());
      progressAt = elapsedMs + PROGRESS_GAP_MS;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  room.emit('tool_eval_progress', run.progress());
  const ending = run.ending();
  const first = run.lastSeq() - ending.length + 1;
  ending.forEach(([name, data], index) =>
    room.emit(name, { job_id: run.jobId, seq: first + index, at: new Date().toISOString(), data }),
  );
}

function emitResults(room, jobId, results) {
  room.emit('tool_eval_results', { job_id: jobId, from_seq: results[0].seq, to_seq: results.at(-1).seq, results });
}
