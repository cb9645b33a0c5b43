import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Json } from '#lib/contracts/json/json';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { CopyButton } from '../../../../ui/buttons';
import { JsonView } from '../../../../ui/json-view';
import { count, Money, percent, Score } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { duration } from '../../../../ui/time';
import { UserBlock, UserText } from '../../../../ui/user-text';
import { settingInWords, settingName } from '../../../runs/parts/setting-words';
import { armQuery } from '../../api';
import type { Arm } from '../../parts/arms';
import { runCommand } from './arm-settings';
import css from '../tunes.module.css';

/** An opened arm: its values, how the provider treats them, its figures and its runs. */
export function ArmDetail({ tune, arm: { arm, target }, close }: { tune: ParamTune; arm: Arm; close: () => void }) {
  return (
    <section className={`section ${css.framed}`} aria-label={`Combination ${arm}`}>
      <div className="head">
        <h3>Combination {arm}</h3>
        <button type="button" className="dense" onClick={close}>
          Close
        </button>
      </div>
      <QueryBoundary rows={5}>
        <OpenedArm tune={tune} arm={arm} target={target} />
      </QueryBoundary>
    </section>
  );
}

function OpenedArm({ tune, arm: number, target }: { tune: ParamTune; arm: number; target: string }) {
  const { data: arm } = useSuspenseQuery({ ...armQuery(tune.id, target, number), staleTime: 0 });
  if (!arm) return null;
  return (
    <>
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
    </>
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

/** The values of an arm, and how to run it: as a command, or as a new run. */
export function ArmUse({ tune, arm }: { tune: ParamTune; arm: TuneArm }) {
  const { suite_id: suiteId, input } = tune;
  const command = suiteId === null ? undefined : runCommand({ suiteId, target: arm.target, config: arm.config, input });
  const values = Object.entries(arm.config as Record<string, Json>);
  const from = arm.runs[0]?.eval_id;
  return (
    <>
      {values.length === 0 && <p>Same as the base.</p>}
      <SettingsList settings={values.map(([name, value]) => [settingName(name), settingInWords(name, value)])} />
      {suiteId === null ? (
        <p className="muted">Its suite was deleted: it cannot be run again.</p>
      ) : (
        <div className="actions">
          {command !== undefined && <CopyButton text={command} label="Copy command" />}
          {from !== undefined && (
            <Link to="/runs/new" search={{ from }} className="button dense">
              Run it
            </Link>
          )}
        </div>
      )}
      {command !== undefined && suiteId !== null && (
        <details>
          <summary>Command</summary>
          <UserBlock text={command} code />
        </details>
      )}
    </>
  );
}
