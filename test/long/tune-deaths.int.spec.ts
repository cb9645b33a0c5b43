// Private stores: the test is the only worker.
import type { Pool } from '#lib/db/connection/pool';
import { openTestStores, replayWithDeaths } from '../process-deaths.js';
import { openTunes, type Skill } from '../tunes.js';

type World = Awaited<ReturnType<typeof openTunes>>;
let worlds: World[];
beforeAll(async () => void (worlds = await openTestStores(openTunes)), 60_000);
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const better: Skill = ({ temperature }) => Number(temperature === 0.5);

it('a worker that dies after any statement of a tune loses and repeats nothing', async () => {
  const ends = { status: 'completed', outcome: 'confirmed', promoted: true };
  await replayWithDeaths(worlds, storyOf, { ends, least: 60, most: 600 });
}, 900_000);

/** The end of a tune: played in a process with this pool until it dies, then in another. */
async function storyOf(tunes: World, db: Pool) {
  const plain = await tunes.aTune({ cases: 34, mode: 'grid', search_space: { temperature: [0, 0.5] } });
  await plain.client.post(`/api/jobs/${(await plain.job()).id}/cancel`);
  const { body: experiment } = await plain.client.post('/api/experiments', { name: 'e', suite_id: plain.suiteId });
  const input = { ...(await plain.read()).input, experiment_id: experiment.id };
  const { body } = await plain.client.post('/api/tool-eval/param-tune', input);
  const tune = await tunes.of(plain.client, body.tune_id);
  for (let turn = 0; turn < 6; turn++) {
    await tune.step(db).catch(() => {});
    await tune.reply(better);
  }
  const { status, targets, promoted_eval_id } = await tune.end(better);
  const children = await tune.children();
  return {
    status,
    outcome: targets[0]!.outcome,
    text: targets[0]!.text,
    promoted: children.some(({ id, step }) => id === promoted_eval_id && step === 'promote'),
    children: children.map(({ step, arm, samples, cases, status: of }) => ({ step, arm, samples, cases, status: of })),
    arms: (await tune.arms()).map(({ runs: _runs, ...arm }) => arm),
    log: (await tune.log()).map(([name, { rung, arm }]) => [name, rung, arm]),
    progress: (await tune.job()).progress,
    unfinished: await tune.rows('SELECT 1 FROM job WHERE team_id = $1 AND finished_at IS NULL', [tune.teamId]),
  };
}
