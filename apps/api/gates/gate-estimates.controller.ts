import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { GateRunEstimate, GateRunInput, GateSensitivityInput, type GateRules } from '#lib/gate/contract';
import { GateSensitivity } from '#lib/contracts/gate-outlook';
import type { Estimate } from '#lib/contracts/estimate';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import { GateRepository } from '#lib/gate/rows/gates';
import { About, Answers, Me, TakesUpTo, uuid } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';
import { RunService } from '../runs/runs.service.js';
import { prepareGateRun } from './prepare-gate-run.js';
import { readSensitivity } from './read-sensitivity.js';

/** Same as for a gate run. */
const RUN_BYTES = 2 ** 20;

/** What a gate can show, and what a gate run takes, before anything is run. */
@Controller('api/gates')
export class GateEstimatesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly runs: RunService,
  ) {}

  @Post('sensitivity')
  @About(
    'What a gate would show',
    'The loss that rules like these can show with the cases of the baseline, and whether the margin can be reached. ' +
      'It assumes what `smallest_loss` says.',
  )
  @Answers(200, GateSensitivity, 422)
  async sensitivity(
    @Me() { teamId }: Caller,
    @Body({ schema: GateSensitivityInput }) { suite_id, baseline, ...rules }: GateSensitivityInput,
  ): Promise<GateSensitivity> {
    const { id: suiteId } = await findSuite(this.pool, teamId, suite_id);
    const baselineId =
      baseline === null
        ? null
        : 'eval_id' in baseline
          ? baseline.eval_id.toLowerCase()
          : ((await new ExperimentRepository(this.pool, teamId).find(baseline.experiment_id))?.baselineId ?? null);
    return readSensitivity(this.pool, teamId, { suiteId, baselineId, ...rules });
  }

  @Post(':id/run/estimate')
  @TakesUpTo(RUN_BYTES, GateRunInput)
  @About(
    'Estimate a gate run',
    'What it takes to begin with, and with all of its looks: each doubles the samples of both sides. Nothing is run.',
  )
  @Answers(200, GateRunEstimate, 404, 422)
  async estimate(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: GateRunInput.nullish() }) input: GateRunInput | null | undefined,
  ): Promise<GateRunEstimate> {
    const { teamId } = caller;
    const gate = await new GateRepository(this.pool, teamId).read(uuid('gate', id));
    let samples = 1;
    const { run, baseline } = await prepareGateRun(
      { pool: this.pool, teamId, gate },
      input ?? {},
      (planned) => {
        ({ samples } = planned);
        return this.runs.estimate(caller, planned);
      },
      ({ targets }) => targets.map(({ target }) => target),
    );
    const most = run && baseline ? mostOf(run, baseline, { samples, looks: gate.rules.looks }) : null;
    return { first: run ?? null, most };
  }
}

/** All looks: each doubles the samples of both sides, and the baseline keeps those that it has. */
function mostOf(
  first: Estimate,
  baseline: ExperimentRun,
  { samples, looks }: Pick<GateRules, 'looks'> & { samples: number },
): NonNullable<GateRunEstimate['most']> {
  const last = samples * 2 ** (looks - 1);
  const added = Math.max(0, last - baseline.samples) + last - samples;
  const ofSample = (first.requests + first.cached) / samples;
  const requests = Math.round(first.requests + added * ofSample);
  const price =
    first.cost_usd === null ? null : first.requests === 0 ? (added > 0 ? null : 0) : first.cost_usd / first.requests;
  return { requests, cost_usd: price === null ? null : requests * price };
}
