import { Link } from '@tanstack/react-router';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { deleteTune } from '../../api/tunes';
import { UserText } from '../../../../ui/user-text';
import { Money } from '../../../../ui/money';
import { count } from '../../../../ui/score';
import { isUnderWay } from '../../../../ui/status';
import { TuneActions } from '../../parts/tune-actions';
import { TuneFacts } from '../../parts/tune-facts';
import { Warnings } from '../../../../ui/warnings';
import { costOf } from './arm-list';
import { TuneSettings } from './tune-settings';

export function TuneHead({ tune, arms }: { tune: ParamTune; arms: readonly TuneArm[] | undefined }) {
  return (
    <section className="section" aria-label="The tune">
      <div className="head">
        <h1>
          Tune of <UserText text={tune.suite_name} max={200} />
        </h1>
        <Actions tune={tune} />
      </div>
      <TuneFacts tune={tune}>
        {arms && (
          <span>
            cost of the search {isUnderWay(tune.status) && 'so far '}
            <Money usd={costOf(arms)} />
          </span>
        )}
      </TuneFacts>
      <TuneSettings tune={tune} />
      <Warnings warnings={tune.notes} />
      {tune.promoted_eval_id !== null && (
        <p>
          <Link to="/runs/$runId" params={{ runId: tune.promoted_eval_id }}>
            Run of the winner in its experiment
          </Link>
        </p>
      )}
    </section>
  );
}

function Actions({ tune }: { tune: ParamTune }) {
  const arms = tune.targets.reduce((sum, target) => sum + target.arms, 0);
  const again = (
    <Link to="/tunes/new" search={{ from: tune.id }} className="button">
      Tune again
    </Link>
  );
  return (
    <TuneActions tune={tune} again={again} remove={deleteTune}>
      This deletes its {count(arms)} combinations and the runs that measured them, with their results, requests and
      replies.{tune.promoted_eval_id !== null && ' The run of the winner in its experiment stays.'}
    </TuneActions>
  );
}
