import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { candidateDiffQuery } from '../../api';
import { useRefusal } from '../../../../api/session';
import { DeltaFigure } from '../../../../ui/figures/delta';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { PromptDiffView } from '../../../prompts/parts/prompt-diff';
import { count, percent } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { OutcomeMark } from '../../../tunes/parts/tune-outcome';

/** The result of a tune, how certain it is, and the actions on it. */
export function PromptTuneResult({ tune }: { tune: PromptTune }) {
  if (tune.text === null && tune.best === null) return null;
  return (
    <section aria-labelledby="found" className="section">
      <h2 id="found">Result</h2>
      <Verdict tune={tune} />
      <ResultActions tune={tune} />
      {tune.best !== null && tune.best > 0 && <Changes tuneId={tune.id} best={tune.best} />}
    </section>
  );
}

function Verdict({ tune: { text, outcome, holdout } }: { tune: PromptTune }) {
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
          {holdout?.mean_a != null && holdout.mean_b != null && (
            <span>
              {percent(holdout.mean_a)} with the base, {percent(holdout.mean_b)} with the best
            </span>
          )}
        </div>
      )}
      {holdout?.difference != null && (
        <DeltaFigure
          label="Best texts minus base on held-out cases"
          difference={holdout.difference}
          interval={holdout.ci}
        />
      )}
    </>
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

function Changes({ tuneId, best }: { tuneId: string; best: number }) {
  const diff = useQuery(candidateDiffQuery(tuneId, best, 0));
  return (
    <section className="section" aria-labelledby="changes">
      <h3 id="changes">Changes from the base to candidate {best}</h3>
      {diff.isPending && <Skeleton rows={4} />}
      {diff.isError && <ErrorNotice error={diff.error} retry={() => diff.refetch()} />}
      {diff.data && <PromptDiffView components={diff.data.components} />}
    </section>
  );
}
