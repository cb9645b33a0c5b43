import { Link } from '@tanstack/react-router';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { deletePromptTune } from '../../api';
import { UserText } from '../../../../ui/user-text';
import { Money } from '../../../../ui/money';
import { count } from '../../../../ui/score';
import { TuneActions } from '../../../tunes/parts/tune-actions';
import { TuneFacts } from '../../../tunes/parts/tune-facts';
import { Warnings } from '../../../../ui/warnings';
import { PromptTuneSettings } from './prompt-tune-settings';

export function PromptTuneHead({ tune }: { tune: PromptTune }) {
  return (
    <section className="section" aria-label="The tune">
      <div className="head">
        <h1>
          Prompt tune of <UserText text={tune.suite_name} max={200} />
        </h1>
        <Actions tune={tune} />
      </div>
      <TuneFacts tune={tune}>
        <span>
          {count(tune.evaluations)} evaluations, {count(tune.candidates)} candidates
        </span>
        <span>
          meta model <UserText text={tune.meta_target} max={200} />, {count(tune.meta.requests)} requests,{' '}
          <Money usd={tune.meta.cost_usd} />
        </span>
      </TuneFacts>
      <PromptTuneSettings tune={tune} />
      <Warnings warnings={tune.notes} />
    </section>
  );
}

function Actions({ tune }: { tune: PromptTune }) {
  const again = (
    <Link to="/tunes/new-prompt" search={{ from: tune.id }} className="button">
      Tune again
    </Link>
  );
  return (
    <TuneActions tune={tune} again={again} remove={deletePromptTune} kind="prompts">
      This deletes its {count(tune.candidates)} candidates and the runs that measured them, with their results, requests
      and replies.{tune.prompt_version_id !== null && ' The prompt version of the best texts stays.'}
      {tune.promoted_eval_id !== null && ' So does its run in the experiment.'}
    </TuneActions>
  );
}
