import { Link } from '@tanstack/react-router';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { UserText } from '../../../../ui/user-text';
import { JsonView } from '../../../../ui/json-view';
import { Money } from '../../../../ui/money';
import { count, percent, Score } from '../../../../ui/score';
import { duration } from '../../../../ui/time';
import { ArmUse } from './arm-use';

/** An opened arm: its values, how the provider treats them, its figures and its runs. */
export function ArmDetail({ tune, arm, close }: { tune: ParamTune; arm: TuneArm; close: () => void }) {
  return (
    <section className="arm-detail section" aria-label={`Combination ${arm.arm}`}>
      <div className="head">
        <h3>Combination {arm.arm}</h3>
        <button type="button" className="dense" onClick={close}>
          Close
        </button>
      </div>
      {arm.same_as !== null && <p>Its requests are the same as those of combination {arm.same_as}.</p>}
      <ArmUse tune={tune} arm={arm} />
      <Figures arm={arm} />
      {arm.adjustments.length > 0 && (
        <ul>
          {arm.adjustments.map((adjustment) => (
            <li key={adjustment}>
              <UserText text={adjustment} />
            </li>
          ))}
        </ul>
      )}
      {arm.resolved !== null && (
        <details>
          <summary>Request to the provider, without messages and tools</summary>
          <JsonView value={arm.resolved} />
        </details>
      )}
      <Runs arm={arm} />
    </section>
  );
}

function Figures({ arm }: { arm: TuneArm }) {
  if (arm.cases + arm.errored === 0) return null;
  const { latency_p50_ms: p50, latency_p95_ms: p95 } = arm;
  return (
    <div className="facts">
      <Score mean={arm.mean} ci={arm.ci} scored={arm.cases} errored={arm.errored} />
      {arm.pass_rate !== null && <span>{percent(arm.pass_rate)} passed</span>}
      <span>{count(arm.samples)} samples</span>
      <span>
        cost <Money usd={arm.cost_usd} />, <Money usd={arm.cost_per_case_usd} /> per case
      </span>
      <span>{count(arm.tokens)} tokens</span>
      {p50 !== null && <span>p50 {duration(p50)}</span>}
      {p95 !== null && <span>p95 {duration(p95)}</span>}
    </div>
  );
}

function Runs({ arm: { runs } }: { arm: TuneArm }) {
  if (runs.length === 0) return null;
  return (
    <div className="actions">
      <span className="muted">Runs:</span>
      {runs.map(({ eval_id: runId, rung }) => (
        <Link key={runId} to="/runs/$runId" params={{ runId }}>
          <UserText text={rung} max={100} />
        </Link>
      ))}
    </div>
  );
}
