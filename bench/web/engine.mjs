// The cost of an open page for a run, and of a run for the page: the real engine at full speed (the simulator responds
// at once), with the run's page open and scrolled, and without, in turn. The browser shares the cores with everything
// else. Fails if a task of the page takes longer than 50 ms of CPU.
//   node bench/web/engine.mjs [items, whole 6,000s] [pairs]
import { cpus, loadavg } from 'node:os';
import { TOKEN } from '../product.mjs';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';
import { printTab, TAB_HEAD } from './table.mjs';
import { MAX_TASK_MS, openTab, startBrowser } from './tab.mjs';

const [items = 24_000, pairs = 3] = process.argv.slice(2).map(Number);
const CASES = 1000;
const MODELS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `instant:${name}`);

const browser = await startBrowser();
try {
  await withSystem(async ({ simulator, api, call, start, finished }) => {
    await call('POST', '/api/providers', {
      key: 'sim',
      base_url: `${simulator.url}/v1`,
      limits: { max_concurrency: 100 },
      models: MODELS.map((id) => ({ id })),
    });
    const suite_id = await importThousandCases(call);
    const worker = await start('worker');
    const submit = (samples) =>
      call('POST', '/api/tool-eval', {
        suite_id,
        models: MODELS.map((id) => `sim::${id}`),
        samples,
        model_order: 'parallel',
        cache: 'off',
      });
    const samples = items / CASES / MODELS.length;
    const cpu = () => [cpuMs(worker.pid), cpuMs(api.pid), storeCpuMs('redis-server'), storeCpuMs('postgres')];
    const measured = async (finish) => {
      const before = cpu();
      const { eval_id: runId } = await submit(samples);
      const { seconds, ...page } = await finish(runId);
      return { rate: items / seconds, spent: cpu().map((ms, index) => ((ms - before[index]) * 1000) / items), ...page };
    };
    const measures = {
      alone: () => measured(async (runId) => ({ seconds: await finished(runId) })),
      watched: () => measured((runId) => watch({ api, finished, runId })),
    };

    await finished((await submit(1)).eval_id); // warm-up
    console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${items} items, one worker, concurrency 100`);
    console.log(TAB_HEAD);
    await measurePairs(measures);
  });
} finally {
  await browser.close();
}

async function measurePairs(measures) {
  const ratios = [];
  for (let pair = 0; pair < pairs; pair++) {
    const rates = {};
    for (const kind of pair % 2 === 0 ? ['alone', 'watched'] : ['watched', 'alone']) {
      const { rate, spent, cost, heap } = await measures[kind]();
      rates[kind] = rate;
      const us = ['worker', 'api', 'redis', 'postgres'].map((name, index) => `${name} ${Math.round(spent[index])}`);
      console.log(`${kind}: ${Math.round(rate)} items/s; CPU us an item: ${us.join(', ')}`);
      if (!cost) continue;
      printTab('page open', cost);
      console.log(`MB held: ${heap}`);
      if (cost.longest.cpuMs > MAX_TASK_MS) process.exitCode = 1;
    }
    ratios.push(rates.watched / rates.alone);
  }
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  console.log(`with the page / without: ${all}; mean ${mean.toFixed(2)}`);
  console.log(`Load average ${loadavg()[0].toFixed(1)}`);
}

async function watch({ api, finished, runId }) {
  const tab = await openTab(browser, `${api.url}/runs/${runId}#token=${TOKEN}`);
  const before = await tab.heapMb();
  let isFinished = false;
  const ended = finished(runId).finally(() => (isFinished = true));
  const cost = await tab.measure(() => isFinished);
  const heap = `${before.toFixed(1)} to ${(await tab.heapMb()).toFixed(1)}`;
  for (const fault of tab.faults) console.log(`The page says: ${fault}`);
  await tab.close();
  return { seconds: await ended, cost, heap };
}
