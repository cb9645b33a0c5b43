// A worker's CPU time per item, line by line: a run at no latency with a profiled worker. Each sample of the profile
// counts for the innermost line of LINES that it ran under.
//   node bench/throughput/budget.mjs [items] [concurrency]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';

const items = Number(process.argv[2] ?? 30_000);
const concurrency = Number(process.argv[3] ?? 400);
const folder = mkdtempSync(join(tmpdir(), 'toolmark-budget-'));
process.env.PROFILE_FOLDER = folder;

/** The first line whose pattern matches the file of a function. */
const LINES = [
  ['claim', /libs\/db\/engine\/claim/],
  ['settle', /libs\/db\/engine\/settle/],
  ['finish, dispatch, reconcile', /worker\/control|libs\/db\/engine|summarise/],
  ['the budget of the lane', /libs\/queue\/budget/],
  ['score', /libs\/scoring|worker\/scoring/],
  ['compress', /node:zlib|:compress$/],
  ['read and write JSON', /contracts\/json/],
  ['the SDK', /node_modules\/openai/],
  ['our fetch and HTTP', /guarded-fetch|guarded-stream|undici|node:_http|node:internal\/url|internal\/webstreams/],
  ['the queue', /bullmq|msgpackr|lane-queue|lane-worker|micro-batch|claimed-items|quarantine/],
  ['build the request, read the reply', /libs\/providers|worker\/items/],
  ['Redis protocol and sockets', /ioredis|redis-parser|redis-commands/],
  ['Postgres protocol and sockets', /node_modules\/pg/],
  ['meters and traces', /prom-client|worker-metrics|opentelemetry|tracing/],
  ['start and modules', /node:internal\/modules/],
];
const OTHER = 'sockets, timers, promises of Node';
const GARBAGE = 'garbage collection';

await withSystem(async ({ simulator, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: concurrency },
    models: [{ id: 'instant' }],
  });
  const suite_id = await importThousandCases(call);
  const worker = await start('worker');
  const spent = () => [cpuMs(worker.pid), cpuMs(simulator.pid), storeCpuMs('redis-server'), storeCpuMs('postgres')];
  const before = spent();
  const { eval_id } = await call('POST', '/api/tool-eval', {
    suite_id,
    models: ['sim::instant'],
    samples: Math.round(items / 1000),
    cache: 'off',
  });
  const seconds = await finished(eval_id);
  const [ofWorker, ...others] = spent().map((ms, n) => ((ms - before[n]) * 1000) / items);
  await worker.stop();
  await delay(1000); // The profile is written on exit.
  const file = readdirSync(folder).find((name) => name.startsWith('worker'));
  const shares = sharesOf(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${items} items, concurrency ${concurrency}, ` +
      `one worker under the profiler: ${Math.round(items / seconds)} items/s`,
  );
  for (const [line, share] of shares)
    console.log(`${line.padEnd(40)} ${String(Math.round(share * ofWorker)).padStart(5)} us`);
  console.log(`${'the worker in all'.padEnd(40)} ${String(Math.round(ofWorker)).padStart(5)} us`);
  ['the simulator', 'Redis', 'Postgres'].forEach((name, n) =>
    console.log(`${name.padEnd(40)} ${String(Math.round(others[n])).padStart(5)} us`),
  );
});
rmSync(folder, { recursive: true, force: true });

function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
  const lineOf = new Map();
  const own = (node) => {
    const { functionName, url } = node.callFrame;
    if (functionName === '(garbage collector)') return GARBAGE;
    return LINES.find(([, pattern]) => pattern.test(`${url}:${functionName}`))?.[0];
  };
  const line = (node) => {
    if (!lineOf.has(node.id))
      lineOf.set(node.id, own(node) ?? (parents.has(node.id) ? line(parents.get(node.id)) : OTHER));
    return lineOf.get(node.id);
  };
  const totals = new Map();
  let total = 0;
  samples.forEach((id, n) => {
    const node = byId.get(id);
    if (node.callFrame.functionName === '(idle)') return;
    totals.set(line(node), (totals.get(line(node)) ?? 0) + timeDeltas[n]);
    total += timeDeltas[n];
  });
  return [...totals].map(([name, time]) => [name, time / total]).sort((a, b) => b[1] - a[1]);
}
