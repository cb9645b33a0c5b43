import { Link } from '@tanstack/react-router';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { useRefusal } from '../../../../api/session';
import { percent } from '../../../../ui/amounts';
import { Verdict } from '../../../tunes/parts/tune-outcome';
import { Changes } from './candidate';

/** The result of a tune, how certain it is, and the actions on it. */
export function PromptTuneResult({ tune }: { tune: PromptTune }) {
  const { id, text, best, holdout } = tune;
  if (text === null && best === null) return null;
  return (
    <section aria-labelledby="found" className="section">
      <h2 id="found">Result</h2>
      <Verdict found={tune} label="Best texts minus base on held-out cases">
        {holdout?.mean_a != null && holdout.mean_b != null && (
          <span>
            {percent(holdout.mean_a)} with the base, {percent(holdout.mean_b)} with the best
          </span>
        )}
      </Verdict>
      <ResultActions tune={tune} />
      {best !== null && best > 0 && (
        <section className="section" aria-labelledby="changes">
          <h3 id="changes">Changes from the base to candidate {best}</h3>
          <Changes tuneId={id} of={best} from={0} />
        </section>
      )}
    </section>
  );
}

function ResultActions({ tune }: { tune: PromptTune }) {
  const refusal = useRefusal('editor');
  const { suite_id: suite, prompt_version_id: promptId, promoted_eval_id: promoted } = tune;
  return (
    <div className="actions">
      {promptId !== null && suite !== null && refusal === undefined && (
        <Link to="/runs/new" search={{ suite, prompt: promptId }} className="button">
          Run with this version
        </Link>
      )}
      {promptId !== null && (
        <Link to="/prompts/$promptId" params={{ promptId }} className="button">
          {refusal === undefined ? 'Use in the suite' : 'Prompt version'}
        </Link>
      )}
      {promoted !== null && (
        <Link to="/runs/$runId" params={{ runId: promoted }}>
          Run of the best texts in its experiment
        </Link>
      )}
    </div>
  );
}
