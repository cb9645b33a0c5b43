import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { POLL_MS } from '../../../../api/query-client';
import { useLive, useRefreshOnEvents } from '../../../../live/use-live';
import { count, Money, percent } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { isUnderWay } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { UserLine } from '../../../../ui/user-text';
import { armsQuery, paramTunes } from '../../api';
import { LiveTune } from '../../live';
import { settingsOf, TuneHead, type SettingNames } from '../../parts/tune-head';
import { TuneProgress } from '../../parts/tune-progress';
import { combinationsOf, costOf } from './arm-list';
import { configText } from './arm-settings';
import { TuneModel } from './tune-model';
import { TuneModels } from './tune-models';

/** Arms refetched per second: large tunes are refetched less often. */
const ARMS_A_SECOND = 1000;

/** The best settings for each model's tool calls, and whether they can be trusted. */
export function TuneScreen() {
  const { tuneId } = useParams({ from: '/signed-in/tunes/$tuneId' });
  const { model: chosen } = useSearch({ from: '/signed-in/tunes/$tuneId' });
  const { data: tune } = useSuspenseQuery({
    ...paramTunes.query(tuneId),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data.status) ? POLL_MS : false),
  });
  const live = useLive(LiveTune, isUnderWay(tune.status) ? tune.job_id : undefined);
  useRefreshOnEvents(tuneId, live, Math.max(POLL_MS, (combinationsOf(tune) / ARMS_A_SECOND) * 1000));
  const model = tune.targets.find(({ target }) => target === chosen) ?? tune.targets[0]!;
  return (
    <>
      <Head tune={tune} />
      {live && isUnderWay(tune.status) && <TuneProgress tune={tune} live={live} />}
      {tune.targets.length > 1 && <TuneModels tune={tune} shown={model} />}
      <TuneModel key={model.target} tune={tune} model={model} news={live?.arms} />
      <BestOverModels best={tune.best_over_models} />
    </>
  );
}

const Head = memo(({ tune }: { tune: ParamTune }) => (
  <TuneHead
    tune={tune}
    tunes={paramTunes}
    deletes={
      <>
        This deletes its {count(combinationsOf(tune))} combinations and the runs that measured them, with their results,
        requests and replies.{tune.promoted_eval_id !== null && ' The run of the winner in its experiment stays.'}
      </>
    }
    facts={<SearchCost tune={tune} />}
    settings={<SettingsList settings={settingsOf(tune.input, SETTINGS)} />}
  >
    {tune.promoted_eval_id !== null && (
      <p>
        <Link to="/runs/$runId" params={{ runId: tune.promoted_eval_id }}>
          Run of the winner in its experiment
        </Link>
      </p>
    )}
  </TuneHead>
));

function SearchCost({ tune: { id, status } }: { tune: ParamTune }) {
  const { data: arms } = useQuery(armsQuery(id));
  if (!arms) return null;
  return (
    <span>
      cost of the search {isUnderWay(status) && 'so far '}
      <Money usd={costOf(arms)} />
    </span>
  );
}

/** The best arms over all models, for a single choice for all. */
function BestOverModels({ best }: { best: ParamTune['best_over_models'] }) {
  if (best.length === 0) return null;
  return (
    <section aria-labelledby="best" className="section">
      <h2 id="best">Best across models</h2>
      <Table
        label="Best combinations across models"
        rows={best}
        keyOf={({ arm }) => arm}
        columns={[
          { name: 'No.', isNumber: true, cell: ({ arm }) => arm },
          { name: 'Combination', cell: ({ config }) => <UserLine text={configText(config as JsonObject)} /> },
          { name: 'Mean across models', isNumber: true, cell: ({ mean }) => percent(mean) },
        ]}
      />
    </section>
  );
}

const SETTINGS: SettingNames = {
  mode: 'Mode',
  trials: ['Trials', 'random'],
  measure: 'Measure',
  margin: 'Margin',
  samples: 'Samples',
  holdout: 'Held-out share',
  seed: 'Seed',
  search_space: 'Search space',
  per_model_search_spaces: 'Per-model search spaces',
  base: 'Base',
  budget: 'Budget',
  cache: 'Stored replies',
};
