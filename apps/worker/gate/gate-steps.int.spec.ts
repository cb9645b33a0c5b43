import { cancelJob } from '#lib/db/engine/cancel-job';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { allRight, CASES, openGateRuns, right, type Replies } from '../../../test/gate-runs.js';

let gates: Awaited<ReturnType<typeof openGateRuns>>;
beforeAll(async () => void (gates = await openGateRuns()));
afterAll(() => gates.close());

const aGateRun = (...asked: Parameters<typeof gates.aGateRun>) => gates.aGateRun(...asked);

describe('a gate run', () => {
  it('creates the run, looks at it, and passes at the first conclusive look', async () => {
    const gate = await aGateRun({ cases: 200, margin: 0.05 });
    const { answer, looks } = await gate.end();
    expect(answer).toMatchObject({ result: 'pass', look: { number: 1, planned: 4, alpha: 0.016, final: false } });
    expect(looks).toMatchObject([{ look: 1, samples: [1, 1], result: 'pass' }]);
    expect(await gate.children()).toMatchObject([{ step: 'run', arm: 'candidate', status: 'completed' }]);
    expect(await gate.job()).toMatchObject({ status: 'completed', progress: { done: 200, total: 200, percent: 100 } });
    expect((await gate.log()).map(([name]) => name)).toEqual([
      'job_created',
      'gate_look',
      'gate_complete',
      'job_completed',
    ]);
    expect(await gate.looks()).toHaveLength(1);
  });

  it('doubles the samples of both sides while a look is inconclusive, and fails at a conclusive one', async () => {
    const gate = await aGateRun({ looks: 3 });
    // Four cases of sixty are lost: one look is inconclusive, and more samples do not help.
    const { answer, looks } = await gate.end((child) =>
      right(child.arm === 'candidate' ? child.cases - (child.step === 'run' ? 4 : 12) : child.cases, child),
    );
    expect(answer.result).toBe('fail');
    expect(looks.map(({ look, result, samples }: any) => [look, result, samples])).toEqual([
      [1, 'inconclusive', [1, 1]],
      [2, 'fail', [2, 2]],
    ]);
    expect(looks.map(({ targets }: any) => targets)).toMatchObject([
      [{ result: 'inconclusive', difference: -4 / 60, ci: [expect.any(Number), expect.any(Number)] }],
      [{ result: 'fail', difference: answer.targets[0].difference, ci: answer.targets[0].ci }],
    ]);
    const [run, ...added] = await gate.children();
    expect(added).toMatchObject([
      { step: 'look-2', arm: 'candidate', samples: 1, extends_run_id: run!.id },
      { step: 'look-2', arm: 'baseline', samples: 1, extends_run_id: gate.baselineId },
    ]);
  });

  it('does not measure half a run, even when a worker repeats a step that another worker has committed', async () => {
    const gate = await aGateRun();
    const makeSteps = await gate.foundByAWorker();
    await gate.step();
    await makeSteps();
    expect(await gate.children()).toMatchObject([{ step: 'run', status: 'queued' }]);
    expect(await gate.job()).toMatchObject({ status: 'running', error: null });
  });

  it('has no look left after the last one, and says how many more cases could decide', async () => {
    const gate = await aGateRun({ cases: 10, looks: 2 });
    const { answer, looks } = await gate.end();
    expect(looks.map(({ look, result }: any) => [look, result])).toEqual([
      [1, 'inconclusive'],
      [2, 'inconclusive'],
    ]);
    expect(answer.look).toMatchObject({ number: 2, final: true });
    expect(answer.targets[0].cases_needed).toBeGreaterThan(10);
  });

  it('stops when no number of samples could decide', async () => {
    const gate = await aGateRun({ cases: 10, looks: 4 });
    const { looks } = await gate.end();
    expect(looks).toHaveLength(2);
    expect(looks[1].text).toMatch(/more samples cannot decide/i);
  });

  it('asks no model without a baseline, and never passes', async () => {
    const gate = await aGateRun({ baseline: null });
    const { answer } = await gate.end();
    expect(answer).toMatchObject({ result: 'not_measured', eval_id: null, look: { number: 0 } });
    expect(await gate.children()).toEqual([]);
    expect(await gate.job()).toMatchObject({ status: 'completed' });
    const deleted = await aGateRun();
    expect(await deleteRun(gates.pool, { teamId: deleted.teamId, runId: deleted.baselineId! })).toBeInstanceOf(Object);
    expect((await deleted.end()).answer.result).toBe('not_measured');
    expect(await deleted.children()).toEqual([]);
  });

  it('that measures an existing run only adds samples to it', async () => {
    const gate = await aGateRun({ given: CASES - 4, looks: 2 });
    const { answer } = await gate.end();
    expect(answer.look.number).toBe(2);
    expect((await gate.children()).map(({ step, arm }) => [step, arm])).toEqual([
      ['look-2', 'candidate'],
      ['look-2', 'baseline'],
    ]);
  });

  it('takes three samples of a critical case that seems broken, and decides by those', async () => {
    const brokenFirst: Replies = (child) =>
      Array.from({ length: child.cases }, (_, n) => Number(child.arm === 'baseline' || n > 0));
    const unlucky = await aGateRun({ cases: 300, critical_tags: ['vital'] });
    const { answer } = await unlucky.end((child) => (child.step === 'run' ? brokenFirst(child) : allRight(child)));
    expect(answer).toMatchObject({ result: 'pass', look: { number: 1 } });
    expect((await unlucky.children()).slice(1)).toMatchObject([
      { step: 'confirm-1', arm: 'candidate', cases: 1, samples: 2 },
      { step: 'confirm-1', arm: 'baseline', cases: 1, samples: 2 },
    ]);
    const broken = await aGateRun({ cases: 300, critical_tags: ['vital'] });
    expect((await broken.end(brokenFirst)).answer).toMatchObject({
      result: 'fail',
      targets: [{ reason: 'critical', critical: [{ position: 0, samples: [3, 3], confirmed: true }] }],
    });
  });

  it('requests those samples once before each look, even where they error', async () => {
    const gate = await aGateRun({ cases: 300, looks: 1, critical_tags: ['vital'] });
    const { answer } = await gate.end((child) =>
      child.step === 'run' ? right(child.cases, child).fill(0, 0, 1) : right(child.cases, child).fill(null),
    );
    expect(answer).toMatchObject({ result: 'inconclusive', targets: [{ reason: 'critical_unconfirmed' }] });
    expect((await gate.children()).map(({ step }) => step)).toEqual(['run', 'confirm-1', 'confirm-1']);
  });

  it('doubles the samples of all cases, however many a critical case has', async () => {
    const gate = await aGateRun({ looks: 2, critical_tags: ['vital'] });
    await gate.end((child) => (child.step === 'run' ? right(57, child).fill(0, 0, 1) : allRight(child)));
    const made = (await gate.children()).map(({ step, arm, samples }) => [step, arm, samples]);
    expect(made).toEqual([
      ['run', 'candidate', 1],
      ['confirm-1', 'candidate', 2],
      ['confirm-1', 'baseline', 2],
      ['look-2', 'candidate', 1],
      ['look-2', 'baseline', 1],
    ]);
  });

  it('adds nothing when all looks are used up: the last answer stands', async () => {
    const gate = await aGateRun({ given: CASES - 4, looks: 2 });
    const stored = { result: 'inconclusive', text: 'Nobody knows.', targets: [], notes: [], look: { final: true } };
    await gates.pool.query(
      `INSERT INTO gate_look (gate_id, gate_version, run_id, baseline_run_id, look, data, answer)
       SELECT $1, 1, $2, $3, look, 'data ' || look, $4 FROM generate_series(1, 2) look`,
      [gate.gateId, gate.evalId, gate.baselineId, JSON.stringify(stored)],
    );
    expect((await gate.end()).answer).toMatchObject({
      text: 'Nobody knows.',
      note_details: [{ code: 'looks_used_up', params: { planned: 2 } }],
    });
    expect(await gate.children()).toEqual([]);
  });

  it('stops before a look that exceeds its budget, with the answer of the last look', async () => {
    const gate = await aGateRun({ maxRequests: CASES + 2 * CASES - 1 });
    const { answer, looks } = await gate.end((child) => right(child.arm === 'candidate' ? 56 : 60, child));
    expect(looks).toHaveLength(1);
    expect(answer.result).toBe('inconclusive');
    expect(answer.notes.join()).toContain(`Another look would need ${2 * CASES} more requests; ${CASES} of`);
    expect(await gate.job()).toMatchObject({ status: 'completed' });
  });

  it('whose budget is spent during a run says so, and can be resumed with a larger budget', async () => {
    const gate = await aGateRun({ cases: 200 });
    const { teamId, userId } = gate;
    await gate.step();
    const [run] = await gate.children();
    await gates.pool.query(`UPDATE run SET status = 'budget_exceeded' WHERE id = $1`, [run!.id]);
    await gates.pool.query(
      `UPDATE job SET status = 'budget_exceeded', detail = '9 of 9 requests are made.'
      WHERE id = (SELECT job_id FROM run WHERE id = $1)`,
      [run!.id],
    );
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'budget_exceeded', detail: '9 of 9 requests are made.' });
    expect((await gate.state()).answer).toMatchObject({ result: 'not_measured', targets: [{ reason: 'unfinished' }] });
    await resumeOrchestration(gates.pool, { teamId, userId, tokenId: null, jobId: gate.jobId, budget: null });
    expect((await gate.end()).answer.result).toBe('pass');
    expect(await gate.children()).toHaveLength(1);
  });

  it('is not measured while too many results errored, and a resume repeats those', async () => {
    const gate = await aGateRun({ cases: 200 });
    const { teamId, userId } = gate;
    const dead: Replies = ({ cases }) => Array.from({ length: cases }, () => null);
    expect((await gate.end(dead)).answer).toMatchObject({ result: 'not_measured' });
    expect(await gate.looks()).toEqual([]);
    await resumeOrchestration(gates.pool, { teamId, userId, tokenId: null, jobId: gate.jobId });
    expect((await gate.end()).answer).toMatchObject({ result: 'pass', look: { number: 1 } });
    const { id: jobId } = await gate.job();
    await expect(resumeOrchestration(gates.pool, { teamId, userId, tokenId: null, jobId })).rejects.toThrow(
      /has its answer/,
    );
  });

  it('fails with the reason when the suite is gone, and costs nothing', async () => {
    const gate = await aGateRun();
    await gates.pool.query(`DELETE FROM suite WHERE team_id = $1`, [gate.teamId]);
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'failed', error: expect.stringContaining('No suite with id') });
    expect(await gate.children()).toEqual([]);
  });

  it('that is cancelled during a look ends cancelled and leaves no run unfinished', async () => {
    const gate = await aGateRun();
    await gate.step();
    await cancelJob(gates.pool, { teamId: gate.teamId, jobId: gate.jobId });
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'cancelled' });
    expect(await gate.children()).toMatchObject([{ status: 'cancelled' }]);
  });
});
