// Items a second through the whole system, against the simulator at zero latency, with one and two workers; and what each process
// and store spends on an item. Everything runs on this machine.   node bench/throughput/run.mjs [items] [concurrency]
import { cpus } from 'node:os';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';

const items = Number(process.argv[2] ?? 20_000);
const concurrency = Number(process.argv[3] ?? 100);

await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, limits: { max_concurrency: concurrency }, models: [{ id: 'instant' }] });
  const suite_id = await importThousandCases(call);
  const run = async (samples) => finished((await call('POST', '/api/tool-eval', { suite_id, models: ['sim::instant'], samples })).eval_id);

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${items} items, concurrency ${concurrency}`);
  console.log('workers  items/s   CPU us/item: workers  simulator  api  redis  postgres');
  for (const count of [1, 2]) {
    const workers = [];
    for (let i = 0; i < count; i++) workers.push(await start('worker'));
    await run(2); // warm
    const cpu = () => [workers.reduce((sum, worker) => sum + cpuMs(worker.pid), 0), cpuMs(simulator.pid), cpuMs(api.pid), storeCpuMs('redis-server'), storeCpuMs('postgres')];
    const before = cpu();
    const seconds = await run(items / 1000);
    const spent = cpu().map((ms, index) => Math.round(((ms - before[index]) * 1000) / items));
    console.log(`${String(count).padStart(7)}  ${String(Math.round(items / seconds)).padStart(7)}   ${spent.map((us) => String(us).padStart(9)).join('  ')}`);
    for (const worker of workers) await worker.stop();
  }
});
