import { useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { LazyDetails } from '../../../../ui/details';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { count, Score } from '../../../../ui/amounts';
import { UserText, visible } from '../../../../ui/user-text';
import type { Arm } from '../../parts/arms';
import { armsQuery } from '../../api';
import type { ArmUpdate } from '../../live';
import { Verdict } from '../../parts/tune-outcome';
import { ArmDetail, ArmUse } from './arm-detail';
import { groupArms, withUpdates } from './arm-list';
import { configText } from './arm-settings';
import { ArmRows } from './arm-rows';
import { SpacePicture } from './space-picture';
import css from '../tunes.module.css';

interface Props {
  tune: ParamTune;
  model: ParamTune['targets'][number];
  /** Live news of the arms of all models, since they were read. */
  news: ReadonlyMap<string, ArmUpdate> | undefined;
}

/** The recommendation for one model, how certain it is, and everything that was tried. */
export function TuneModel(props: Props) {
  const { model } = props;
  return (
    <section aria-label={nameOf(model)} className={`section ${css.model}`}>
      <h2>
        <UserText text={model.target} max={200} />
      </h2>
      <Verdict
        found={model}
        label={`Recommended combination minus base on held-out cases, ${visible(model.target.slice(0, 100))}`}
      />
      <QueryBoundary rows={16}>
        <Arms {...props} />
      </QueryBoundary>
    </section>
  );
}

const nameOf = ({ target }: Props['model']): string => visible(target.slice(0, 200));

interface RecommendedProps extends Pick<Props, 'tune' | 'model'> {
  arm: TuneArm;
  arms: readonly Arm[];
}

/** As good as the recommended one; more are counted. */
const MAX_TIED = 3;

function Recommended({ tune, model, arm, arms }: RecommendedProps) {
  const tied = arms.filter((one) => one.arm !== arm.arm && model.tied.includes(one.arm));
  const more = model.tied.filter((number) => number !== arm.arm).length - Math.min(MAX_TIED, tied.length);
  return (
    <div className={`section ${css.framed}`}>
      <h3>Recommended: combination {arm.arm}</h3>
      <ArmUse tune={tune} arm={arm} />
      <p>
        On tuning cases: <Score mean={arm.mean} ci={arm.ci} scored={arm.cases} errored={arm.errored} />
      </p>
      {tied.length > 0 && (
        <p>
          As good on these cases:{' '}
          <UserText
            text={tied
              .slice(0, MAX_TIED)
              .map(({ config }) => configText(config))
              .join('; ')}
            max={300}
          />
          {more > 0 && ` and ${count(more)} more`}.
        </p>
      )}
    </div>
  );
}

function Arms({ tune, model, news }: Props) {
  const { all, arms, read } = useArms(tune.id, model.target, news);
  const chosen = useSearch({ from: '/signed-in/tunes/$tuneId' });
  const groups = useMemo(() => groupArms(arms), [arms]);
  const [openedArm, open] = useState<number>();
  const opened = arms.find(({ arm }) => arm === openedArm);
  const rows = { opened: openedArm, open: ({ arm }: Arm) => open(arm) };
  const folded = [
    ['Dropped', groups.dropped],
    ['Not measured', groups.waiting],
    ['Same requests as another', groups.same],
  ] as const;
  return (
    <div className="section">
      <SpacePicture {...{ tune, arms, read, all, chosen }} target={model.target} open={({ arm }) => open(arm)} />
      {model.recommended && <Recommended {...{ tune, model, arms }} arm={model.recommended} />}
      {opened && <ArmDetail key={opened.arm} tune={tune} arm={opened} close={() => open(undefined)} />}
      <details open>
        <summary>
          {count(model.arms)} {model.arms === 1 ? 'combination' : 'combinations'}, {count(model.distinct)} distinct
        </summary>
        {groups.leading.length > 0 ? (
          <ArmRows {...rows} arms={groups.leading} label={`Combinations of ${nameOf(model)}, best first`} />
        ) : (
          <p className="muted">No combinations measured yet.</p>
        )}
        {folded
          .filter(([, group]) => group.length > 0)
          .map(([words, group]) => (
            <LazyDetails key={words} summary={`${words}: ${count(group.length)}`}>
              {() => <ArmRows {...rows} arms={group} label={`${words}, ${nameOf(model)}`} />}
            </LazyDetails>
          ))}
      </details>
    </div>
  );
}

/** The arms of all models, and those of one. Live news of an arm are shown at once. */
function useArms(tuneId: string, target: string, news: Props['news']) {
  const { data } = useSuspenseQuery({ ...armsQuery(tuneId), staleTime: 0 });
  const all = useMemo(() => (news?.size ? data.map((arm) => withUpdates(arm, news)) : data), [data, news]);
  const ofModel = (arms: readonly Arm[]): Arm[] => arms.filter((arm) => arm.target === target);
  return {
    all,
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it is made of the target alone
    arms: useMemo(() => ofModel(all), [all, target]),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it is made of the target alone
    read: useMemo(() => ofModel(data), [data, target]),
  };
}
