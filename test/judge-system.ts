import type { Job } from '#lib/contracts/job';
import type { Judgement, JudgeReport } from '#lib/judge/contract';
import { joinSystem } from './system.js';
import { untilJobEnded } from './until-ended.js';

const TOOLS = [
  { name: 'get_weather', description: 'Get the weather of a city', parameter: 'city' },
  { name: 'set_alarm', description: 'Set an alarm', parameter: 'time' },
] as const;

/** A model's reply to a prompt: an assistant message. */
export const reply = (name: string, args: object, content: string | null = null) => ({
  role: 'assistant',
  content,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
export const RIGHT = reply('get_weather', { city: 'Paris' });
export const WRONG = reply('get_weather', { city: 'Rome' });

/** A suite in which each case asks for the weather in Paris, in different words. */
const suiteOf = (cases: number) => ({
  name: 'Weather in Paris',
  tools: TOOLS.map(({ name, description, parameter }) => ({
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
    },
  })),
  test_cases: Array.from({ length: cases }, (_, n) => ({
    name: `case ${n}`,
    prompt: promptOf(n),
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
  })),
});
export const promptOf = (n: number): string => `What is the weather in Paris? (${n})`;

/** A team in a shared system, with judges, and models whose replies a test writes. */
export async function joinJudgeSystem() {
  const system = await joinSystem();
  const { client } = system;
  const models = ['scripted:a', 'scripted:b', 'scripted:c', 'judge:right', 'judge:gullible', 'judge:position'].map(
    (id) => ({ id }),
  );
  await client.post('/api/providers', { key: 'sim', base_url: `${system.simulator.url}/v1`, models });
  const get = async <Body = any>(path: string): Promise<Body> => (await client.get(path)).body;
  const control = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${system.simulator.url}/control/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  };
  const ended = (jobId: string): Promise<Job> => untilJobEnded(client, jobId);
  return {
    ...system,
    get,
    control,
    ended,
    aSuite: (cases: number): Promise<string> => client.importSuite(suiteOf(cases)),
    /** A run of a scripted model that replies to case `n` with `replies[n]`. */
    async aRun(suiteId: string, model: string, replies: readonly object[], input: object = {}): Promise<string> {
      const by_prompt = Object.fromEntries(replies.map((message, n) => [promptOf(n), message]));
      await system.script(model.replace('scripted:', ''), { replies: [RIGHT], by_prompt });
      const asked = { suite_id: suiteId, models: [`sim::${model}`], cache: 'off', ...input };
      const { body } = await client.post('/api/tool-eval', asked);
      expect(await ended(body.job_id)).toMatchObject({ status: 'completed' });
      return body.eval_id;
    },
    /** Submits a report. */
    async submit(input: object): Promise<{ job_id: string; report_id: string }> {
      const { status, body } = await client.post('/api/judge', { judge: 'sim::judge:right', ...input });
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    report: (id: string) => get<JudgeReport>(`/api/judge/reports/${id}`),
    judgements: async (id: string, query = ''): Promise<Judgement[]> =>
      (await get(`/api/judge/reports/${id}/verdicts?limit=200${query}`)).items,
    /** Submits a report and waits for its end. */
    async judged(input: object): Promise<JudgeReport> {
      const { job_id, report_id } = await this.submit(input);
      const job = await ended(job_id);
      if (job.status !== 'completed') throw new Error(`${job.status}: ${job.error ?? job.detail}`);
      return this.report(report_id);
    },
    /** The bodies of the requests to a judge. */
    asked: async (judge: string): Promise<any[]> => {
      const url = `${system.simulator.url}/control/requests?model=${encodeURIComponent(judge)}`;
      return ((await (await fetch(url)).json()) as any).items;
    },
  };
}
