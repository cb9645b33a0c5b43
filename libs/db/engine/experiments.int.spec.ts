import { createDatabase } from '../../../test/services.js';
import { newId } from '#lib/runtime/ids';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { insertRow } from '../connection/insert-row.js';
import { createTeam } from '../testing/run-fixture.js';
import { deleteRun } from '../upkeep/delete-run.js';
import { deleteExperiment, pinBaseline } from './experiments.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

interface StoredExperiment {
  baseline_run_id: string | null;
  baseline_set_by: string | null;
  best_run_id: string | null;
  tied_with: string[];
  revision: number;
  refreshed_revision: number;
}

const experimentOf = async (team: { teamId: string; suiteId: string }, more: object = {}): Promise<string> => {
  const id = newId();
  await insertRow(pool, 'experiment', { id, team_id: team.teamId, suite_id: team.suiteId, name: 'e', ...more });
  return id;
};
const stored = async (id: string): Promise<StoredExperiment> =>
  (await pool.query<StoredExperiment>('SELECT * FROM experiment WHERE id = $1', [id])).rows[0]!;
const revision = async (id: string): Promise<number> => (await stored(id)).revision;
const set = (runId: string, assignments: string): Promise<unknown> =>
  pool.query(`UPDATE run SET ${assignments} WHERE id = $1`, [runId]);

describe('the revision of an experiment', () => {
  it('increases when one of its runs ends or is scored, resumed, linked, unlinked or deleted', async () => {
    const team = await createTeam(pool);
    const [first, second] = [await experimentOf(team), await experimentOf(team)];
    const { runId } = await team.submit({ experiment_id: first });
    expect(await revision(first)).toBe(1);
    await set(runId, `status = 'running'`);
    expect(await revision(first)).toBe(1);
    await set(runId, 'score = 0.5, delta = 0.1');
    expect(await revision(first)).toBe(2);
    await set(runId, `status = 'completed', finished_at = now()`);
    expect(await revision(first)).toBe(3);
    await set(runId, `delta = 0.2, comparison = 'x', config = '{}'`);
    expect(await revision(first)).toBe(3);
    await set(runId, `status = 'pending', score = NULL, generation = 2`);
    expect(await revision(first)).toBe(4);
    await pool.query('UPDATE run SET experiment_id = $2 WHERE id = $1', [runId, second]);
    expect([await revision(first), await revision(second)]).toEqual([5, 2]);
    await pool.query('DELETE FROM run WHERE id = $1', [runId]);
    expect([await revision(first), await revision(second)]).toEqual([5, 3]);
  });

  it('increases with changes of its baseline, which may be a run outside of it', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    await set(runId, `status = 'completed', score = 0.5`);
    const id = await experimentOf(team);
    expect(await inTransaction(pool, (client) => pinBaseline(client, team.teamId, id, runId))).toEqual({
      eval_id: null,
      set_by: null,
    });
    expect(await stored(id)).toMatchObject({ baseline_run_id: runId, baseline_set_by: 'user', revision: 2 });
    await set(runId, `status = 'pending', generation = 2`);
    expect(await revision(id)).toBe(3);
    await set(runId, `status = 'completed'`);
    // The previous release leaves no other trace.
    await pool.query('UPDATE experiment SET baseline_run_id = NULL WHERE baseline_run_id = $1', [runId]);
    expect(await stored(id)).toMatchObject({
      baseline_run_id: null,
      baseline_set_by: null,
      baseline_deleted: true,
      revision: 5,
    });
  });
});

describe('deleting', () => {
  it('an experiment keeps its runs, which then have no experiment', async () => {
    const team = await createTeam(pool);
    const id = await experimentOf(team);
    const { runId } = await team.submit({ experiment_id: id });
    await set(runId, `delta = 0.1, differs = '{cases}', comparison = '{}'`);
    const other = await createTeam(pool);
    const remove = (teamId: string) => inTransaction(pool, (client) => deleteExperiment(client, teamId, id));
    expect(await remove(other.teamId)).toBeUndefined();
    expect(await remove(team.teamId)).toMatchObject({ suite_id: team.suiteId, status: 'active' });
    expect(await remove(team.teamId)).toBeUndefined();
    const { rows } = await pool.query('SELECT experiment_id, delta, differs, comparison FROM run WHERE id = $1', [
      runId,
    ]);
    expect(rows).toEqual([{ experiment_id: null, delta: null, differs: [], comparison: null }]);
  });

  it('an experiment refuses a run that is submitted at the same instant', async () => {
    const team = await createTeam(pool);
    const id = await experimentOf(team);
    await pool.query('DELETE FROM experiment WHERE id = $1', [id]);
    await expect(team.submit({ experiment_id: id })).rejects.toMatchObject({ status: 422 });
  });

  it('the baseline leaves an experiment without one, and without its comparisons', async () => {
    const team = await createTeam(pool);
    const id = await experimentOf(team);
    const [a, b] = [await team.submit({ experiment_id: id }), await team.submit({ experiment_id: id })];
    for (const { runId } of [a, b]) await set(runId, `status = 'completed', score = 1`);
    await pool.query('UPDATE experiment SET baseline_run_id = $2, best_run_id = $2, tied_with = $3 WHERE id = $1', [
      id,
      a.runId,
      [b.runId],
    ]);
    await insertRow(pool, 'experiment_comparison', {
      experiment_id: id,
      run_id: b.runId,
      against_run_id: a.runId,
      run_generation: 1,
      against_generation: 1,
      comparison: '{}',
    });
    const before = await revision(id);
    expect(await deleteRun(pool, { teamId: team.teamId, runId: a.runId })).toBeInstanceOf(Object);
    expect(await stored(id)).toMatchObject({
      baseline_run_id: null,
      baseline_set_by: null,
      baseline_deleted: true,
      best_run_id: null,
      tied_with: [],
    });
    expect(await revision(id)).toBeGreaterThan(before);
    expect((await pool.query('SELECT 1 FROM experiment_comparison WHERE experiment_id = $1', [id])).rowCount).toBe(0);
  });
});
