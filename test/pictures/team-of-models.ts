import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import type { WebSystem } from '../web.js';
import type { Filled, FilledRun } from '../web-screens.js';

const DAY_MS = 86_400_000;
const NIGHTS = 40;
/** The night from which on cirrus answers worse. */
const FALLS_AT = 27;
const CASES = 32;
const CATEGORIES = ['Forecasts', 'Warnings', 'Travel', 'Sports'];
/** From the best and dearest to the worst and cheapest, with one that costs more than it is worth. */
const MODELS = [
  ['aurora', 0.97, 8],
  ['borealis', 0.93, 1.6],
  ['cirrus', 0.88, 0.6],
  ['dune', 0.8, 2.5],
  ['ember', 0.72, 0.2],
  ['fjord', 0.55, 0.05],
] as const;
const NIGHTLY = ['borealis', 'cirrus', 'ember'];

const idOf = (name: string): string => `prompt-sensitive@400:${name}`;
const targetsOf = (names: readonly string[]): string[] => names.map((name) => `cloud::${idOf(name)}`);

/** What the screens of measurements show. */
export type TeamOfModels = FilledRun & Pick<Filled, 'laterRunId'>;

/** Six models of different quality and price, and forty nights of three of them, one of which gets worse. */
export async function aTeamOfModels({ client, simulator, sql }: WebSystem): Promise<TeamOfModels> {
  const teach = (name: string, base: number): Promise<unknown> =>
    fetch(`${simulator.url}/control/prompt-sensitive/${encodeURIComponent(idOf(name))}`, {
      method: 'POST',
      body: JSON.stringify({ base, seed: MODELS.findIndex(([one]) => one === name), rules: [] }),
    });
  for (const [name, base] of MODELS) await teach(name, base);
  await client.post('/api/providers', {
    key: 'cloud',
    name: 'Cloud',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 200 },
    models: MODELS.map(([name, , price]) => ({
      ...{ id: idOf(name), name, input_cost_per_mtok: price, output_cost_per_mtok: price * 4 },
    })),
  });
  const suite = weatherSuite(CASES);
  const suiteId = await client.importSuite({
    ...suite,
    name: 'Office assistant',
    test_cases: suite.test_cases.map((one, n) => ({ ...one, category: CATEGORIES[n % CATEGORIES.length] })),
  });
  const experimentId: string = (await client.post('/api/experiments', { name: 'Every night', suite_id: suiteId })).body
    .id;
  const run = async (names: readonly string[], input: object): Promise<string> => {
    const asked = { suite_id: suiteId, models: targetsOf(names), model_order: 'parallel', cache: 'off', ...input };
    const { body } = await client.post('/api/tool-eval', asked);
    await untilRunCompleted(client, body.eval_id);
    return body.eval_id;
  };
  for (let night = 0; night < NIGHTS; night++) {
    if (night === FALLS_AT) await teach('cirrus', 0.5);
    const runId = await run(NIGHTLY, { name: `Nightly ${night + 1}`, experiment_id: experimentId });
    await moveTo(sql, runId, new Date(Date.now() - (NIGHTS - night) * DAY_MS));
  }
  await teach('cirrus', 0.88);
  const all = MODELS.map(([name]) => name);
  const runId = await run(all, { name: 'Six models', samples: 2 });
  await teach('cirrus', 0.6);
  const laterRunId = await run(all, { name: 'Six models, a day later', samples: 2 });
  const { body: failures } = await client.get(
    `/api/tool-eval/history/${runId}/results?${new URLSearchParams({ passed: 'false', limit: '1' })}`,
  );
  const { id: resultId, case_id: caseId } = failures.items[0];
  return { suiteId, caseId, experimentId, runId, laterRunId, resultId };
}

/** As if the run had been made and had ended then. */
async function moveTo(sql: WebSystem['sql'], runId: string, at: Date): Promise<void> {
  await sql.query('UPDATE run SET created_at = $2, started_at = $2, finished_at = $2 WHERE id = $1', [runId, at]);
  await sql.query('UPDATE run_against SET finished_at = $2, revision = revision + 1 WHERE run_id = $1', [runId, at]);
}
