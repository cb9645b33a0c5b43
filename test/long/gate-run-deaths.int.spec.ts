// Private stores: the test is the only worker.
import type { Pool } from '#lib/db/connection/pool';
import { openTestStores, replayWithDeaths } from '../process-deaths.js';
import { openGateRuns, type Replies } from '../gate-runs.js';

type World = Awaited<ReturnType<typeof openGateRuns>>;
let worlds: World[];
beforeAll(async () => void (worlds = await openTestStores(openGateRuns)), 60_000);
afterAll(() => Promise.all(worlds.map((world) => world.close())));

it('a worker that dies after any statement of a gate run loses nothing, and repeats nothing', async () => {
  const ends = { looks: [1, 2] };
  await replayWithDeaths(worlds, storyOf, { ends, least: 60, most: 300 });
}, 600_000);

/** The end of a gate run of two looks: played in a process with this pool until it dies, then in another. */
async function storyOf(gates: World, db: Pool) {
  const gate = await gates.aGateRun({ cases: 20, looks: 2, margin: 0.3, critical_tags: ['vital'] });
  const replies: Replies = (child) =>
    Array.from({ length: child.cases }, (_, n) =>
      Number(child.arm === 'baseline' || child.step !== 'run' || (n > 0 && n < 17)),
    );
  for (let turn = 0; turn < 6; turn++) {
    await gate.step(db).catch(() => {});
    await gate.reply(replies);
  }
  const { answer, looks } = await gate.end(replies);
  const children = await gate.children();
  return {
    result: answer.result,
    text: answer.text,
    looks: looks.map(({ look }: { look: number }) => look),
    stored: (await gate.looks()).map(({ look }) => look),
    children: children.map(({ step, arm, samples, cases, status }) => ({ step, arm, samples, cases, status })),
    log: (await gate.log()).map(([name]) => name),
    progress: (await gate.job()).progress,
    unfinished: (await gates.pool.query('SELECT 1 FROM job WHERE team_id = $1 AND finished_at IS NULL', [gate.teamId]))
      .rows,
  };
}
