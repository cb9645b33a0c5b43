// Polls /healthz of each URL 20 times a second, and the team's own data, in a separate process so that a busy benchmark
// does not make a response look late. For each line of standard input, prints the measurements since the line before:
// {health: url -> seen, requests: seen}, with seen {answers, refused, longestMs, medianMs, p95Ms}, where `refused`
// lists each other outcome once.
//   node bench/hostile/watch-health.mjs <url> ...   (the API first; TOKEN of the team)
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 50;
const READ = ['/api/tool-eval/history?limit=20', '/api/tool-suites', '/api/jobs?limit=20', '/api/providers', '/api/me'];
const urls = process.argv.slice(2);
const health = {};
for (const url of urls) void watch((health[url] = beginning()), () => `${url}/healthz`);
const requests = beginning();
const headers = { authorization: `Bearer ${process.env.TOKEN}` };
let turn = 0;
void watch(requests, () => urls[0] + READ[turn++ % READ.length], { headers });

createInterface(process.stdin)
  .on('line', () => {
    console.log(
      JSON.stringify({
        health: Object.fromEntries(Object.entries(health).map(([url, one]) => [url, seen(one)])),
        requests: seen(requests),
      }),
    );
    for (const one of [...Object.values(health), requests]) Object.assign(one, beginning(), { since: again(one) });
  })
  .on('close', () => process.exit(0));

function beginning() {
  return { answers: 0, refused: [], tookMs: [], since: undefined };
}

/** After a report, an unanswered request is timed from now. */
function again({ since }) {
  return since === undefined ? undefined : performance.now();
}

function seen({ answers, refused, tookMs, since }) {
  // An unanswered request counts too.
  const times = [...tookMs, ...(since === undefined ? [] : [performance.now() - since])].sort((a, b) => a - b);
  const quantile = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  return { answers, refused, longestMs: times.at(-1) ?? 0, medianMs: quantile(0.5), p95Ms: quantile(0.95) };
}

async function watch(mine, urlOf, options) {
  for (;;) {
    mine.since = performance.now();
    const refusal = await fetch(urlOf(), options).then(
      async (answer) => {
        const text = await answer.text();
        return answer.ok ? undefined : text;
      },
      (error) => error.cause?.message ?? error.message,
    );
    const tookMs = performance.now() - mine.since;
    mine.since = undefined;
    if (refusal !== undefined) mine.refused = [...new Set([...mine.refused, refusal])];
    else {
      mine.answers++;
      mine.tookMs.push(tookMs);
    }
    await delay(Math.max(0, EVERY_MS - tookMs));
  }
}
