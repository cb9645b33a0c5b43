// Items per second through the whole system, against the simulator at several latencies, with one, two and four
// workers; the CPU time of each process and store per item; and two limits measured in the same minute: a bare HTTP
// client at the same concurrency against the same simulator, and concurrency / latency. Everything runs on this
// machine.
//   node bench/throughput/run.mjs [most items] [concurrency] [workers,...] [model,...]
import { cpus } from 'node:os';
import { Agent, request } from 'undici';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';

const items = Number(process.argv[2] ?? 48_000);
const concurrency = Number(process.argv[3] ?? 400);
const counts = (process.argv[4] ?? '1,2,4').split(',').map(Number);
const models = (process.argv[5] ?? 'instant,slow-50,slow-500,heavy-tail-500').split(',');
/** Mean latency in ms by model name; that of a heavy tail is measured by the bare client. */
const latencyOf = (model) => (/^slow-(\d+)$/.exec(model) ? Number(model.slice(5)) : 0);

await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: concurrency },
    models: models.map((id) => ({ id })),
  });
  const suite_id = await importThousandCases(call);
  const { tools } = await call('GET', `/api/tool-suites/${suite_id}`);
  const run = async (model, samples) =>
    finished(
      (await call('POST', '/api/tool-eval', { suite_id, models: [`sim::${model}`], samples, cache: 'off' })).eval_id,
    );

  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${items} items at no latency, concurrency ${concurrency}`,
  );
  console.log(
    'model            workers  items/s  of ideal  of bare client   CPU us/item: workers  simulator  ' +
      'api  redis  postgres',
  );
  for (const model of models) {
    const ideal = latencyOf(model) ? (concurrency * 1000) / latencyOf(model) : Infinity;
    const bare = await bareClient(`${simulator.url}/v1/chat/completions`, model, tools, Math.min(10_000, ideal * 10));
    // One minute's worth of items at the better limit, in whole thousands.
    const n = Math.max(4000, Math.round(Math.min(items, Math.min(bare, ideal) * 60) / 1000) * 1000);
    console.log(
      `${model.padEnd(16)}    bare  ${String(Math.round(bare)).padStart(7)}  ` +
        `${ideal === Infinity ? '' : `${Math.round((bare / ideal) * 100)} %`}`,
    );
    for (const count of counts) {
      const workers = [];
      for (let i = 0; i < count; i++) workers.push(await start('worker'));
      await run(model, 2); // warm
      const cpu = () => [
        workers.reduce((sum, worker) => sum + cpuMs(worker.pid), 0),
        cpuMs(simulator.pid),
        cpuMs(api.pid),
        storeCpuMs('redis-server'),
        storeCpuMs('postgres'),
      ];
      const before = cpu();
      const rate = n / (await run(model, n / 1000));
      const spent = cpu().map((ms, index) => Math.round(((ms - before[index]) * 1000) / n));
      const share = (limit) => (limit === Infinity ? '' : `${Math.round((rate / limit) * 100)} %`).padStart(8);
      console.log(
        `${model.padEnd(16)} ${String(count).padStart(7)}  ${String(Math.round(rate)).padStart(7)}  ` +
          `${share(ideal)}  ${share(bare).padStart(14)}   ` +
          `${spent.map((us) => String(us).padStart(9)).join('  ')}`,
      );
      for (const worker of workers) await worker.stop();
    }
  }
});

/** Requests per second of a client that does nothing else: no queue, no score, no store. */
async function bareClient(url, model, tools, n) {
  const dispatcher = new Agent({ connections: concurrency });
  let next = 0;
  const one = async () => {
    while (next < n) {
      const body = JSON.stringify({
        model,
        messages: [{ role: 'user', content: `What is the weather in city ${next++ % 1000}?` }],
        temperature: 0,
        tools,
        tool_choice: 'required',
      });
      await (
        await request(url, { dispatcher, method: 'POST', headers: { 'content-type': 'application/json' }, body })
      ).body.text();
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, one));
  const seconds = (performance.now() - started) / 1000;
  await dispatcher.close();
  return n / seconds;
}
