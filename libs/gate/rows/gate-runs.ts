import type { JobStatus } from '#lib/contracts/job-status';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import { toPage } from '#lib/db/catalogue/page';
import type { Submission } from '#lib/db/engine/submit-run';
import { TeamScoped } from '#lib/db/team-isolation';
import type { GateAnswer, GateRules, GateRun } from '../contract.js';

interface GateRunRow {
  id: string;
  gate_id: string;
  gate_version: number;
  job_id: string;
  status: JobStatus;
  /** The run to measure, if it already existed. */
  given: string | null;
  baseline: string | null;
  runs: GateRun['runs'];
  state: string;
  created_at: Date;
  finished_at: Date | null;
}

/** The steps of a gate run: make the run to measure, then look at it, as often as the gate allows. */
export type GateStep = 'run' | 'look';

/** The request of a gate run, as stored in its orchestration: the gate as it was at that time. */
export interface GateRunInput {
  gate: { id: string; name: string; version: number; rules: GateRules };
  /** Null when the gate has no baseline, and nothing is run. */
  baselineId: string | null;
  /** The run to measure, if it already exists; otherwise `run` is made. */
  evalId?: string;
  run?: Pick<Submission, 'input' | 'targets' | 'estimate'>;
}

/** What the steps of a gate run have found so far; empty at first. */
export interface GateRunState {
  looks?: GateRun['looks'];
  answer?: GateAnswer;
  /** The look before which the seemingly broken critical cases got their extra samples. */
  confirmed?: number;
}

const SELECT = `
  SELECT o.id, o.subject_id AS gate_id, (o.input::json #>> '{gate,version}')::int AS gate_version, o.job_id, j.status,
    o.input::json ->> 'evalId' AS given, o.input::json ->> 'baselineId' AS baseline, o.state, o.created_at,
    j.finished_at,
    (SELECT coalesce(json_agg(json_build_object('eval_id', r.id, 'step', r.step, 'arm', r.arm) ORDER BY r.id), '[]')
      FROM run r WHERE r.orchestration_id = o.id) AS runs
  FROM orchestration o JOIN job j ON j.id = o.job_id
  WHERE o.team_id = $1 AND o.type = 'gate' AND o.subject_id = $2`;

/** The gate runs of a team. */
export class GateRunRepository extends TeamScoped {
  /** Newest first. */
  async list(gateId: string, { limit, cursor }: PageQuery): Promise<Page<GateRun>> {
    const { rows } = await this.db.query<GateRunRow>(
      `${SELECT} AND ($3::uuid IS NULL OR o.id < $3) ORDER BY o.id DESC LIMIT $4`,
      [this.teamId, gateId, cursor ?? null, limit + 1],
    );
    const withoutTargets = ({ looks, ...run }: GateRun): GateRun => ({
      ...run,
      looks: looks.map(({ targets: _targets, ...look }) => look),
    });
    return toPage(
      rows.map((row) => withoutTargets(toGateRun(row))),
      limit,
    );
  }

  /** @throws ProblemError 404 */
  async read(gateId: string, id: string): Promise<GateRun> {
    const { rows } = await this.db.query<GateRunRow>(`${SELECT} AND o.id = $3`, [this.teamId, gateId, id]);
    if (!rows[0]) throw notFound('gate run', id);
    return toGateRun(rows[0]);
  }

  /** The unfinished gate run of a gate that measures this run: its data are about to change. */
  async findUnfinished(gateId: string, runId: string): Promise<string | undefined> {
    const { rows } = await this.db.query<{ id: string }>(
      `SELECT o.id FROM orchestration o JOIN job j ON j.id = o.job_id
       WHERE o.team_id = $1 AND o.type = 'gate' AND o.subject_id = $2
         AND j.status IN ('pending', 'queued', 'running')
         AND ((o.input::json ->> 'evalId')::uuid = $3
           OR EXISTS (SELECT 1 FROM run r WHERE r.orchestration_id = o.id AND r.id = $3))
       ORDER BY o.id LIMIT 1`,
      [this.teamId, gateId, runId],
    );
    return rows[0]?.id;
  }
}

function toGateRun({ given, baseline, runs, state, ...row }: GateRunRow): GateRun {
  const { looks = [], answer = null } = JSON.parse(state) as GateRunState;
  return {
    id: row.id,
    gate_id: row.gate_id,
    gate_version: row.gate_version,
    job_id: row.job_id,
    status: row.status,
    eval_id: given ?? runs.find(({ step }) => step === 'run')?.eval_id ?? null,
    baseline_eval_id: baseline,
    runs,
    looks,
    result: answer,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
