// The cost of watching: the same run with no and with many watching sockets, in turn, on one system. Everything,
// including the watchers, shares the cores of this machine.
//   node bench/live/run.mjs [items] [pairs] [sockets] [items of a last, long pair] [model]
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../product.mjs';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';

const [items = 20_000, pairs = 3, sockets = 200, longItems = 100_000] = process.argv.slice(2, 6).map(Number);
const model = process.argv[6] ?? 'instant';

await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 100 },
    models: [{ id: model }],
  });
  const suiteId = await importThousandCases(call);
  const worker = await start('worker');
  const watchers = await startWatchers(api.url);
  const cpu = () => [
    cpuMs(worker.pid),
    cpuMs(api.pid),
    storeCpuMs('redis-server'),
    storeCpuMs('postgres'),
    cpuMs(simulator.pid),
    cpuMs(watchers.pid),
  ];
  const run = (count, watched) => measureRun({ call, finished, cpu, watchers, suiteId }, count, watched);

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; one worker, concurrency 100, ${model}`);
  console.log('sockets    items  items/s   CPU us/item: worker  api  redis  postgres  simulator  watchers   MB sent');
  await run(5000, false); // warm-up
  await run(5000, true);
  const ratios = [];
  for (let n = 0; n < pairs; n++) ratios.push(await measurePair(run, items, n % 2 === 1));
  if (pairs > 1) printMean(ratios);
  if (longItems)
    console.log(`watched / not watched, ${longItems} items: ${(await measurePair(run, longItems, true)).toFixed(3)}`);
  watchers.end();
});

/** The sockets connect once and stay connected during runs that they do not watch. */
async function startWatchers(apiUrl) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('watchers.mjs', import.meta.url)), apiUrl, TOKEN, String(sockets)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const reports = createInterface(child.stdout)[Symbol.asyncIterator]();
  await reports.next();
  return {
    pid: child.pid,
    watch: (jobId) => child.stdin.write(`${jobId}\n`),
    report: async () => JSON.parse((await reports.next()).value),
    end: () => child.stdin.end(),
  };
}

/** Prints the cost of a run of `count` items, and returns its items per second. */
async function measureRun({ call, finished, cpu, watchers, suiteId }, count, watched) {
  const before = cpu();
  const { job_id: jobId, eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suiteId,
    models: [`sim::${model}`],
    samples: count / 1000,
  });
  if (watched) watchers.watch(jobId);
  const perSecond = count / (await finished(evalId));
  const report = watched ? await watchers.report() : { results: [], wrong: [], megabytes: 0 };
  const incomplete = report.results.filter((results) => results !== count);
  if (report.wrong.length > 0 || incomplete.length > 0) {
    const found = JSON.stringify([report.wrong.slice(0, 3), incomplete.slice(0, 3)]);
    throw new Error(`Not every socket got every event: ${found}`);
  }
  const spentUs = cpu().map((ms, index) => Math.round(((ms - before[index]) * 1000) / count));
  console.log(
    `${String(watched ? sockets : 0).padStart(7)}  ${String(count).padStart(7)}  ` +
      `${String(Math.round(perSecond)).padStart(7)}   ` +
      `${spentUs.map((us) => String(us).padStart(7)).join('  ')}   ` +
      `${report.megabytes.toFixed(0).padStart(6)}`,
  );
  return perSecond;
}

/** @returns watched / not watched */
async function measurePair(run, count, watchedFirst) {
  const first = await run(count, watchedFirst);
  const second = await run(count, !watchedFirst);
  return watchedFirst ? first / second : second / first;
}

function printMean(ratios) {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const squares = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (ratios.length - 1));
  console.log(
    `watched / not watched: ${ratios.map((ratio) => ratio.toFixed(3)).join(', ')}; mean ` +
      `${mean.toFixed(3)}, standard deviation ${deviation.toFixed(3)}`,
  );
}
