import type { Job } from '#lib/contracts/job';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { weatherSuite } from './client.js';
import { joinSystem } from './system.js';
import { untilJobEnded } from './until-ended.js';

/** Best at a temperature of 0.3, a top_p of at most 0.5 and a required call. */
export const MODEL = 'param-sensitive';
export const SLOW = 'param-sensitive@40';
export const LIMITED = 'param-sensitive:limited';
export const MAX_CONCURRENCY = 8;

export const ROUTE = '/api/tool-eval/param-tune';
export const BASE = { temperature: 1, tool_choice: 'auto' };
const SPACE = { temperature: { min: 0, max: 1, step: 0.1 }, top_p: [0.3, 1], tool_choice: ['auto', 'required'] };

/** A team in a shared system, with a suite of 60 cases and parameter-sensitive models. */
export async function joinTuneSystem() {
  const system = await joinSystem();
  await system.client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: MAX_CONCURRENCY },
    models: [{ id: MODEL }, { id: SLOW }, { id: LIMITED, unsupported_params: ['top_p'] }],
  });
  const suiteId: string = await system.client.importSuite(weatherSuite(60));
  const get = async (path: string) => (await system.client.get(path)).body;
  const job = (id: string): Promise<Job> => get(`/api/jobs/${id}`);
  return {
    ...system,
    suiteId,
    get,
    job,
    async submit(more: object = {}): Promise<{ tune_id: string; job_id: string }> {
      const input = { suite_id: suiteId, models: [`sim::${MODEL}`], search_space: SPACE, base: BASE, ...more };
      const { status, body } = await system.client.post(ROUTE, input);
      expect({ status, body }).toMatchObject({ status: 202, body: { status: 'submitted' } });
      return body;
    },
    tune: (id: string): Promise<ParamTune> => get(`${ROUTE}/history/${id}`),
    arms: async (id: string): Promise<TuneArm[]> => (await get(`${ROUTE}/history/${id}/combos?limit=200`)).items,
    ended: (jobId: string): Promise<Job> => untilJobEnded(system.client, jobId, 120_000),
  };
}
