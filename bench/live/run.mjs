// What watching costs: the same run with nobody and with many watching sockets, in turn, on one system. Everything,
// the watchers too, shares the cores of this machine. node bench/live/run.mjs [items] [pairs] [sockets] [items of a
// last, long pair] [model]
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuMs, importThousandCases, storeCpuMs, TOKEN, withSystem } from '../system.mjs';

const [items = 20_000, pairs = 3, sockets = 200, longItems = 100_000] = process.argv.slice(2, 6).map(Number);
const model = process.argv[6] ?? 'instant';

await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 100 },
    models: [{ id: model }],
  });
  const suite_id = await importThousandCases(call);
  const worker = await start('worker');
  const watchers = spawn(
    process.execPath,
    [fileURLToPath(new URL('watchers.mjs', import.meta.url)), api.url, TOKEN, String(sockets)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const reports = createInterface(watchers.stdout)[Symbol.asyncIterator]();
  await reports.next(); // They are connected, and stay so in runs that they do not watch.

  const cpu = () => [
    cpuMs(worker.pid),
    cpuMs(api.pid),
    storeCpuMs('redis-server'),
    storeCpuMs('postgres'),
    cpuMs(simulator.pid),
    cpuMs(watchers.pid),
  ];
  const run = async (count, watched) => {
    const before = cpu();
    const { job_id, eval_id } = await call('POST', '/api/tool-eval', {
      suite_id,
      models: [`sim::${model}`],
      samples: count / 1000,
    });
    if (watched) watchers.stdin.write(`${job_id}\n`);
    const perSecond = count / (await finished(eval_id));
    const report = watched ? JSON.parse((await reports.next()).value) : { results: [], wrong: [], megabytes: 0 };
    const short = report.results.filter((results) => results !== count);
    if (report.wrong.length > 0 || short.length > 0)
      throw new Error(
        `Not every socket was told everything: ${JSON.stringify([report.wrong.slice(0, 3), short.slice(0, 3)])}`,
      );
    const spent = cpu().map((ms, index) => Math.round(((ms - before[index]) * 1000) / count));
    console.log(
      `${String(watched ? sockets : 0).padStart(7)}  ${String(count).padStart(7)}  ` +
        `${String(Math.round(perSecond)).padStart(7)}   ` +
        `${spent.map((us) => String(us).padStart(7)).join('  ')}   ` +
        `${report.megabytes.toFixed(0).padStart(6)}`,
    );
    return perSecond;
  };
  const pair = async (count, watchedFirst) => {
    const first = await run(count, watchedFirst);
    const second = await run(count, !watchedFirst);
    return watchedFirst ? first / second : second / first;
  };

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; one worker, concurrency 100, ${model}`);
  console.log('sockets    items  items/s   CPU us/item: worker  api  redis  postgres  simulator  watchers   MB told');
  await run(5000, false); // warm
  await run(5000, true);
  const ratios = [];
  for (let n = 0; n < pairs; n++) ratios.push(await pair(items, n % 2 === 1));
  if (pairs > 1) {
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / pairs;
    const deviation = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (pairs - 1));
    console.log(
      `watched / not watched: ${ratios.map((ratio) => ratio.toFixed(3)).join(', ')}; mean ` +
        `${mean.toFixed(3)}, standard deviation ${deviation.toFixed(3)}`,
    );
  }
  if (longItems) console.log(`watched / not watched, ${longItems} items: ${(await pair(longItems, true)).toFixed(3)}`);
  watchers.stdin.end();
});
