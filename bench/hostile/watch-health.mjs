// Asks /healthz of each URL 20 times a second, in its own process so that a busy benchmark does not make an answer look
// late. Answers each line of standard input with what it saw since the line before: a JSON object of url ->
// {answers, refused, longestMs}, where `refused` is what else came, each once.
//    node bench/hostile/watch-health.mjs <url> ...
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 50;
const seen = {};
for (const url of process.argv.slice(2)) void watch(url);
createInterface(process.stdin)
  .on('line', () => {
    // A request that is still unanswered counts too.
    const now = performance.now();
    for (const one of Object.values(seen))
      if (one.since !== undefined) one.longestMs = Math.max(one.longestMs, now - one.since);
    console.log(JSON.stringify(seen));
    for (const one of Object.values(seen))
      Object.assign(one, { answers: 0, refused: [], longestMs: 0, since: one.since === undefined ? undefined : now });
  })
  .on('close', () => process.exit(0));

async function watch(url) {
  const mine = (seen[url] = { answers: 0, refused: [], longestMs: 0, since: undefined });
  for (;;) {
    mine.since = performance.now();
    const refusal = await fetch(`${url}/healthz`).then(
      async (answer) => {
        const text = await answer.text();
        return answer.ok ? undefined : text;
      },
      (error) => error.cause?.message ?? error.message,
    );
    const tookMs = performance.now() - mine.since;
    mine.since = undefined;
    if (refusal === undefined) mine.answers++;
    else mine.refused = [...new Set([...mine.refused, refusal])];
    if (refusal === undefined) mine.longestMs = Math.max(mine.longestMs, tookMs);
    await delay(Math.max(0, EVERY_MS - tookMs));
  }
}
