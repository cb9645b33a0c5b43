import { pino } from 'pino';
import type { PromptCandidate, PromptTune } from '#lib/prompt-tune/contract';
import type { Outcome } from '#lib/db/testing/settled-run';
import { connectRedis } from '#lib/runtime/redis';
import { promptTune } from '../apps/worker/prompt-tune/prompt-tune-steps.js';
import { startApi } from './api.js';
import { clientOf, type Client } from './client.js';
import { orchestrationOf, type Child, type Replies, type Stores } from './orchestrations.js';
import { ROUTE, songSuite } from './prompt-tune-system.js';

type Texts = Record<string, string>;
/** The models' result for a case with some texts: the score, or null for an error. */
export type Skill = (texts: Texts, position: number, child: Child) => Outcome;
/** A meta model's task: the JSON document between the fences. */
export interface Task {
  task: string;
  component?: string;
  current_text?: string;
  components?: Texts;
  examples?: { prompt: string; [more: string]: unknown }[];
}
/** The arguments of the call that a meta model replies with; undefined: no call; null: an error. */
export type Author = (task: Task, child: Child) => object | undefined | null;

export const documentIn = (content: string): Task => {
  const [, json] = /^```json\n([\s\S]*)\n```$/m.exec(content) ?? [];
  return JSON.parse(json!) as Task;
};

/** A private API without workers, and the workers' part in prompt tunes. The test plays the models. */
export async function openPromptTunes() {
  const api = await startApi();
  const redis = connectRedis(api.env.REDIS_URL, 'producer', pino({ level: 'silent' }));
  const stores = { pool: api.pool, redis };
  let teams = 0;
  const aTeam = async (
    cases: number,
    promptOf?: (n: number) => string,
  ): Promise<{ client: Client; suiteId: string }> => {
    const { token } = (await api.client.post('/api/teams', { name: `team ${teams++}` })).body;
    const client = clientOf(api.url, token.token);
    const models = [{ id: 'a' }, { id: 'b' }, { id: 'meta' }];
    await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
    const { suite_id: suiteId } = (await client.post('/api/tool-eval/import', songSuite(cases, promptOf))).body;
    return { client, suiteId };
  };
  const submit = ({ client, suiteId }: { client: Client; suiteId: string }, input: object) =>
    client.post(ROUTE, { suite_id: suiteId, models: ['sim::a'], meta_model: 'sim::meta', ...input });
  return {
    pool: api.pool,
    aTeam,
    submit,
    async close(): Promise<void> {
      await redis.quit();
      await api.close();
    },
    /** A new team with a tune that is submitted and has not begun. */
    async aTune({ cases = 60, ...input }: { cases?: number; [input: string]: unknown } = {}) {
      const team = await aTeam(cases);
      const { status, body } = await submit(team, input);
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { suiteId: team.suiteId, ...(await tuneOf(stores, team.client, body.tune_id)) };
    },
    /** An existing tune. */
    of: (client: Client, id: string) => tuneOf(stores, client, id),
  };
}

interface Models {
  skill: Skill;
  author: Author;
}

const isMeta = ({ step }: Child): boolean => step.startsWith('meta');

/** The requests of a tune's child runs, and the test's replies to them. */
function playTune({ pool }: Stores, id: string, own: Texts) {
  const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;
  const textsOf = async (child: Child): Promise<Texts> => {
    const [run] = await rows('SELECT config FROM run WHERE id = $1', [child.id]);
    const { base_prompt: prompt, tool_overrides: overrides } = JSON.parse(run.config);
    return { ...own, ...(prompt !== null && { system_prompt: prompt }), ...overrides };
  };
  const askOf = async (child: Child): Promise<any> => {
    const [row] = await rows(
      `SELECT body FROM prompt_ask a
         JOIN suite_version_case c ON c.version_id = a.tune_id AND c.position = a.position
       WHERE a.tune_id = $1 AND a.key = $2`,
      [id, child.arm],
    );
    return JSON.parse(row.body);
  };
  const taskOf = async (child: Child): Promise<Task> => documentIn((await askOf(child)).messages[1].content);
  const repliesOf =
    ({ skill, author }: Models): Replies =>
    async (child) => {
      if (isMeta(child)) return [author(await taskOf(child), child) === null ? null : 1];
      const [run] = await rows('SELECT case_positions FROM run WHERE id = $1', [child.id]);
      const some = run.case_positions as number[];
      const positions = some.length > 0 ? some : Array.from({ length: child.cases }, (_, n) => n);
      const texts = await textsOf(child);
      return positions.map((position) => skill(texts, position, child));
    };
  /** The meta model's call is stored in its results. */
  const writeCall = async (child: Child, author: Author): Promise<void> => {
    const { tools } = await askOf(child);
    const args = author(await taskOf(child), child);
    const called = args ? [{ name: tools[0].function.name, arguments: args }] : [];
    await pool.query('UPDATE result SET called = $2 WHERE run_id = $1', [child.id, JSON.stringify(called)]);
  };
  return { textsOf, askOf, repliesOf, writeCall };
}

async function tuneOf(stores: Stores, client: Client, id: string) {
  const { rows } = await stores.pool.query('SELECT team_id, input FROM orchestration WHERE id = $1', [id]);
  const { team_id: teamId, input } = rows[0] as { team_id: string; input: string };
  const { own, heldOut, reflect, select } = JSON.parse(input) as Record<string, any>;
  const orchestration = orchestrationOf(stores, { teamId, id }, promptTune);
  const { repliesOf, writeCall, ...played } = playTune(stores, id, own as Texts);
  const reply = async (skill: Skill, author: Author): Promise<void> => {
    await orchestration.reply(repliesOf({ skill, author }));
    for (const child of await orchestration.children()) if (isMeta(child)) await writeCall(child, author);
  };
  return {
    ...orchestration,
    ...played,
    ...({ heldOut, reflect, select } as Record<'heldOut' | 'reflect' | 'select', number[]>),
    client,
    id,
    teamId,
    isMeta,
    reply,
    async end(skill: Skill, author: Author): Promise<PromptTune> {
      for (;;) {
        await orchestration.step();
        await reply(skill, author);
        const found = await this.read();
        if (!['pending', 'queued', 'running'].includes(found.status)) return found;
      }
    },
    /** Performs this many steps, each with the replies that it requested. */
    async go(turns: number, skill: Skill, author: Author): Promise<void> {
      for (let turn = 0; turn < turns; turn++) {
        await orchestration.step();
        await reply(skill, author);
      }
    },
    resume: async (body: object = {}) => client.post(`/api/jobs/${(await orchestration.job()).id}/resume`, body),
    read: async (): Promise<PromptTune> => (await client.get(`${ROUTE}/history/${id}`)).body,
    candidates: async (): Promise<PromptCandidate[]> =>
      (await client.get(`${ROUTE}/history/${id}/candidates?limit=200`)).body.items,
  };
}
