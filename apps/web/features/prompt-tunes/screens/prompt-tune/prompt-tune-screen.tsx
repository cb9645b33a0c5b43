import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memo } from 'react';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { useLive, useRefreshOnEvents } from '../../../../live/use-live';
import { count, Money, percent } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { isUnderWay } from '../../../../ui/status';
import { UserText } from '../../../../ui/user-text';
import { ComponentTexts } from '../../../prompts/parts/prompt-texts';
import { LivePromptTune, type LivePromptTuneState } from '../../../tunes/live';
import { settingsOf, TuneHead, type SettingNames } from '../../../tunes/parts/tune-head';
import { TuneProgress } from '../../../tunes/parts/tune-progress';
import { promptTunes } from '../../api';
import { Front } from './front';
import { Lineage } from './lineage';
import { PromptTuneResult } from './prompt-tune-result';

/** The best texts for each model's tool calls, their origin, and whether they can be trusted. */
export function PromptTuneScreen() {
  const { tuneId } = useParams({ from: '/signed-in/tunes/prompts/$tuneId' });
  const { data: tune } = useSuspenseQuery({ ...promptTunes.query(tuneId), staleTime: 0 });
  const live = useLive(LivePromptTune, isUnderWay(tune.status) ? tune.job_id : undefined);
  useRefreshOnEvents(tuneId, live);
  return (
    <>
      <Head tune={tune} />
      {live && isUnderWay(tune.status) && (
        <TuneProgress tune={tune} live={live}>
          <LatestGeneration live={live} />
        </TuneProgress>
      )}
      <PromptTuneResult tune={tune} />
      <Front tuneId={tuneId} />
      <Lineage tuneId={tuneId} />
    </>
  );
}

const Head = memo(({ tune }: { tune: PromptTune }) => (
  <TuneHead
    tune={tune}
    kind="prompts"
    tunes={promptTunes}
    deletes={
      <>
        This deletes its {count(tune.candidates)} candidates and the runs that measured them, with their results,
        requests and replies.{tune.prompt_version_id !== null && ' The prompt version of the best texts stays.'}
        {tune.promoted_eval_id !== null && ' So does its run in the experiment.'}
      </>
    }
    facts={
      <>
        <span>
          {count(tune.evaluations)} evaluations, {count(tune.candidates)} candidates
        </span>
        <span>
          meta model <UserText text={tune.meta_target} max={200} />, {count(tune.meta.requests)} requests,{' '}
          <Money usd={tune.meta.cost_usd} />
        </span>
      </>
    }
    settings={
      <>
        <SettingsList settings={[['Models', tune.targets.join('\n')], ...settingsOf(tune.input, SETTINGS)]} />
        <details>
          <summary>Starting texts</summary>
          <ComponentTexts texts={tune.base} />
        </details>
      </>
    }
  />
));

function LatestGeneration({ live: { newest } }: { live: LivePromptTuneState }) {
  if (!newest) return null;
  const { iteration, accepted, rejected, front, best } = newest;
  return (
    <p>
      Iteration {count(iteration)}: {count(accepted.length)} accepted, {count(rejected.length)} rejected;{' '}
      {count(front.length)} on the front. The best so far is candidate {best.id}
      {best.score !== null && `, with ${percent(best.score)} on the selection cases`}.
    </p>
  );
}

const SETTINGS: SettingNames = {
  mode: 'Mode',
  components: 'Texts to tune',
  variants: ['Variants', 'quick'],
  population: ['Population', 'evolutionary'],
  generations: ['Generations', 'evolutionary'],
  selection_ratio: ['Parents', 'evolutionary'],
  minibatch: ['Cases per reflection', 'reflective'],
  max_evals: ['Maximum evaluations', 'reflective'],
  max_growth: 'Growth',
  measure: 'Measure',
  margin: 'Margin',
  samples: 'Samples',
  holdout: 'Held-out share',
  seed: 'Seed',
  temperature: 'Temperature',
  tool_choice: 'Tool choice',
  max_tokens: 'Maximum reply tokens',
  params: 'Parameters',
  meta_params: 'Meta model requests',
  budget: 'Budget',
  cache: 'Stored replies',
};
