// A private system: one of its workers freezes.
import { weatherSuite } from '../client.js';
import { expectExact } from '../exact.js';
import { startSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

it('every item settles once when a worker freezes and returns after others took over', async () => {
  const { client, simulator, sql, workers } = await startSystem({ workers: 2 });
  const [frozen] = workers;
  const limits = { max_concurrency: 20 };
  const models = [{ id: 'slow-300' }, { id: 'slow-40' }];
  await client.post('/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, limits, models });
  const submit = async (cases: number, model: string): Promise<string> => {
    const suite_id = await client.importSuite(weatherSuite(cases));
    const { body } = await client.post('/api/tool-eval', { suite_id, models: [model], cache: 'off' });
    return body.eval_id;
  };
  const run = async (evalId: string) => (await client.get(`/api/tool-eval/history/${evalId}`)).body;

  const evalId = await submit(200, 'slow-300');
  await until(async () => (await run(evalId)).counts.settled >= 30);
  await frozen!.kill('SIGSTOP');
  await untilRunCompleted(client, evalId);
  const alive = async (): Promise<number> => (await client.get('/api/system')).body.workers.alive;
  await until(async () => (await alive()) === 1, { what: 'the frozen worker to be missed' });
  await frozen!.kill('SIGCONT');
  await until(async () => (await alive()) === 2, { what: 'both workers to be alive' });
  await untilRunCompleted(client, await submit(20, 'slow-40'));
  await expectExact(sql, evalId, 200);
});
