import { useMemo, useState } from 'react';
import type { ParamTune, ParamTuneTarget as Target, TuneArm } from '#lib/param-tune/contract';
import type { z } from 'zod';
import { DeltaFigure } from '../../../../ui/figures/delta';
import { LazyDetails } from '../../../../ui/folded';
import { UserText, visible } from '../../../../ui/user-text';
import { count, Score } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { ArmDetail } from './arm-detail';
import { groupArms } from './arm-list';
import { ArmRows } from './arm-rows';
import { ArmUse } from './arm-use';
import { OutcomeMark } from '../../parts/tune-outcome';

type TunedModel = z.infer<typeof Target>;

interface Props {
  tune: ParamTune;
  target: TunedModel;
  /** Undefined until loaded. */
  arms: readonly TuneArm[] | undefined;
  /** Whether its arms are shown initially. */
  isOpen: boolean;
}

/** The recommendation for one model, how certain it is, and everything that was tried. */
export function TuneModel({ tune, target, arms, isOpen }: Props) {
  const name = visible(target.target.slice(0, 200));
  return (
    <section aria-label={name} className="section tune-model">
      <h2>
        <UserText text={target.target} max={200} />
      </h2>
      <Verdict target={target} />
      {target.recommended && <Recommended tune={tune} target={target} arm={target.recommended} />}
      <details open={isOpen}>
        <summary>
          {count(target.arms)} combinations, {count(target.distinct)} distinct
        </summary>
        {arms ? <Arms tune={tune} arms={arms} name={name} /> : <Skeleton rows={6} />}
      </details>
    </section>
  );
}

function Verdict({ target: { text, outcome, holdout, target } }: { target: TunedModel }) {
  return (
    <>
      {text !== null && (
        <p className="sentence">
          <UserText text={text} />
        </p>
      )}
      {outcome !== null && (
        <div className="facts">
          <OutcomeMark outcome={outcome} />
          {holdout && <span>{count(holdout.n_cases)} held-out cases</span>}
        </div>
      )}
      {holdout?.difference != null && (
        <DeltaFigure
          label={`Recommended combination minus base on held-out cases, ${visible(target.slice(0, 100))}`}
          difference={holdout.difference}
          interval={holdout.ci}
        />
      )}
    </>
  );
}

function Recommended({ tune, target, arm }: { tune: ParamTune; target: TunedModel; arm: TuneArm }) {
  const tied = target.tied.filter((number) => number !== arm.arm);
  return (
    <div className="recommended section">
      <h3>Recommended: combination {arm.arm}</h3>
      <ArmUse tune={tune} arm={arm} />
      <p>
        On tuning cases: <Score mean={arm.mean} ci={arm.ci} scored={arm.cases} errored={arm.errored} />
      </p>
      {tied.length > 0 && <p>Not distinguishable on these cases: combinations {tied.join(', ')}.</p>}
    </div>
  );
}

function Arms({ tune, arms, name }: { tune: ParamTune; arms: readonly TuneArm[]; name: string }) {
  const groups = useMemo(() => groupArms(arms), [arms]);
  const [openedArm, open] = useState<number>();
  const opened = arms.find(({ arm }) => arm === openedArm);
  const rows = { opened: openedArm, open: ({ arm }: TuneArm) => open(arm) };
  const folded = [
    ['Dropped', groups.dropped],
    ['Not measured', groups.waiting],
    ['Same requests as another', groups.same],
  ] as const;
  return (
    <div className="section">
      {groups.leading.length > 0 ? (
        <ArmRows {...rows} arms={groups.leading} label={`Combinations of ${name}, best first`} />
      ) : (
        <p className="muted">No combinations measured yet.</p>
      )}
      {opened && <ArmDetail tune={tune} arm={opened} close={() => open(undefined)} />}
      {folded
        .filter(([, group]) => group.length > 0)
        .map(([words, group]) => (
          <LazyDetails key={words} summary={`${words}: ${count(group.length)}`}>
            {() => <ArmRows {...rows} arms={group} label={`${words}, ${name}`} />}
          </LazyDetails>
        ))}
    </div>
  );
}
