// Private stores: the test is the only worker.
import type { Pool } from '#lib/db/connection/pool';
import { openTestStores, replayWithDeaths } from '../process-deaths.js';
import { openJudges, type Judge } from '../judges.js';

type World = Awaited<ReturnType<typeof openJudges>>;
let worlds: World[];
beforeAll(async () => void (worlds = await openTestStores(openJudges)), 60_000);
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const WRONG = { verdict: 'wrong', tool: 'missing', arguments: 'not_applicable', reasons: ['It calls nothing.'] };

/** Its reply is unreadable at first for one case, and always for another. */
const judge: Judge = ({ task, conversation }, { step }) => {
  if (task === 'summarise') return { strengths: [], weaknesses: ['It calls nothing.'], recommendations: [] };
  const [{ content } = { content: '' }] = conversation ?? [];
  if (content.includes('2') || (content.includes('1') && step === 'ask')) return undefined;
  return WRONG;
};

it('a worker that dies after any statement of a report loses and repeats nothing', async () => {
  await replayWithDeaths(worlds, storyOf, {
    ends: { status: 'completed', judged: 3, errored: 1 },
    least: 40,
    most: 400,
  });
}, 900_000);

/** The end of a report: played in a process with this pool until it dies, then in another. */
async function storyOf(judges: World, db: Pool) {
  const { client, runId } = await judges.aRun([0, 0, 0, 0, 1]);
  const report = await judges.aReport(client, { eval_id: runId });
  for (let turn = 0; turn < 6; turn++) {
    await report.step(db).catch(() => {});
    await report.reply(judge);
  }
  const { status, judged, errored, targets, weaknesses, usage } = await report.end(judge);
  return {
    status,
    judged,
    errored,
    targets,
    weaknesses,
    usage,
    judgements: (await report.judgements()).map(({ eval_id: _run, case_id: _case, ...judgement }) => judgement),
    children: (await report.children()).map(({ id: _id, ...child }) => child),
    log: (await report.log()).map(([name, { position }]) => [name, position]),
    progress: (await report.job()).progress,
    unfinished: await report.rows('SELECT 1 FROM job WHERE team_id = $1 AND finished_at IS NULL', [report.teamId]),
  };
}
