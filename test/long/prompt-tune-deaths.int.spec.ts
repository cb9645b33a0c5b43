// Private stores: the test is the only worker.
import type { Pool } from '#lib/db/connection/pool';
import { openTestStores, replayWithDeaths } from '../process-deaths.js';
import { PHRASES } from '../prompt-tune-system.js';
import { openPromptTunes, type Author, type Skill } from '../prompt-tunes.js';

type World = Awaited<ReturnType<typeof openPromptTunes>>;
let worlds: World[];
beforeAll(async () => void (worlds = await openTestStores(openPromptTunes)), 60_000);
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const [, { component, phrase }] = PHRASES;
const better: Skill = (texts) => Number(texts[component]!.includes(phrase));
/** Its reply is unreadable at first. */
const author: Author = ({ current_text: text }, { step }) =>
  step === 'meta' ? undefined : { text: `${text} ${phrase}`, why: 'It helps.' };

it('a worker that dies after any statement of a prompt tune loses and repeats nothing', async () => {
  const ends = {
    status: 'completed',
    outcome: 'confirmed',
    promoted: true,
    versions: 1,
  };
  await replayWithDeaths(worlds, storyOf, { ends, least: 100, most: 600 });
}, 900_000);

/** The end of a tune: played in a process with this pool until it dies, then in another. */
async function storyOf(tunes: World, db: Pool) {
  const team = await tunes.aTeam(20);
  const { body: experiment } = await team.client.post('/api/experiments', { name: 'e', suite_id: team.suiteId });
  const { body } = await tunes.submit(team, { components: [component], experiment_id: experiment.id });
  const tune = await tunes.of(team.client, body.tune_id);
  for (let turn = 0; turn < 10; turn++) {
    await tune.step(db).catch(() => {});
    await tune.reply(better, author);
  }
  const { status, outcome, text, texts, best, promoted_eval_id, evaluations, meta } = await tune.end(better, author);
  const children = await tune.children();
  return {
    status,
    outcome,
    text,
    texts,
    best,
    evaluations,
    meta,
    promoted: children.some(({ id, step }) => id === promoted_eval_id && step === 'promote'),
    versions: (await tune.client.get(`/api/prompt-versions?suite_id=${team.suiteId}`)).body.items.length,
    children: children.map(({ step, arm, samples, cases, status: of }) => ({ step, arm, samples, cases, status: of })),
    candidates: (await tune.candidates()).map(({ runs: _runs, meta: _meta, ...candidate }) => candidate),
    log: (await tune.log()).map(([name, { iteration }]) => [name, iteration]),
    progress: (await tune.job()).progress,
    unfinished: await tune.rows('SELECT 1 FROM job WHERE team_id = $1 AND finished_at IS NULL', [tune.teamId]),
  };
}
