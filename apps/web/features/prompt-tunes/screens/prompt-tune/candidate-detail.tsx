import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { candidateDiffQuery, candidateQuery } from '../../api';
import { ComponentTexts } from '../../../prompts/parts/component-texts';
import { ErrorNotice } from '../../../../ui/error-notice';
import { LazyDetails } from '../../../../ui/folded';
import { UserText } from '../../../../ui/user-text';
import { Money } from '../../../../ui/money';
import { PromptDiffView } from '../../../prompts/parts/prompt-diff';
import { count } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';

const RUNS_SHOWN = 20;

interface Props {
  tuneId: string;
  candidate: PromptCandidate;
}

/** A candidate's changes with their reason, its texts, and its cost. */
export function CandidateDetail({ tuneId, candidate }: Props) {
  const { candidate: number, parents, why, reason, meta, runs } = candidate;
  return (
    <div className="section candidate">
      {reason !== null && (
        <p>
          <UserText text={reason} />
        </p>
      )}
      {why !== null && (
        <p>
          {meta !== null && <span className="muted">Meta model: </span>}
          <UserText text={why} />
        </p>
      )}
      {parents.length > 0 && <Changes tuneId={tuneId} number={number} parent={parents[0]!} />}
      <LazyDetails summary="All texts">{() => <Texts tuneId={tuneId} number={number} />}</LazyDetails>
      {meta !== null && (
        <p className="muted">
          {meta.eval_id === null ? (
            'Request'
          ) : (
            <Link to="/runs/$runId/results" params={{ runId: meta.eval_id }}>
              Request
            </Link>
          )}
          : {count(meta.prompt_tokens)} tokens in, {count(meta.completion_tokens)} out, <Money usd={meta.cost_usd} />
        </p>
      )}
      {runs.length > 0 && (
        <div className="actions">
          <span className="muted">Runs:</span>
          {runs.slice(0, RUNS_SHOWN).map(({ eval_id: runId, part }) => (
            <Link key={runId} to="/runs/$runId" params={{ runId }}>
              <UserText text={part} max={100} />
            </Link>
          ))}
          {runs.length > RUNS_SHOWN && <span className="muted">and {count(runs.length - RUNS_SHOWN)} more</span>}
        </div>
      )}
    </div>
  );
}

function Changes({ tuneId, number, parent }: { tuneId: string; number: number; parent: number }) {
  const diff = useQuery(candidateDiffQuery(tuneId, number, parent));
  return (
    <section className="section" aria-label={`Changes of candidate ${number} from candidate ${parent}`}>
      <strong>Changes from candidate {parent}</strong>
      {diff.isPending && <Skeleton rows={3} />}
      {diff.isError && <ErrorNotice error={diff.error} retry={() => diff.refetch()} />}
      {diff.data && <PromptDiffView components={diff.data.components} />}
    </section>
  );
}

function Texts({ tuneId, number }: { tuneId: string; number: number }) {
  const { data, error, isPending, refetch } = useQuery(candidateQuery(tuneId, number));
  return (
    <>
      {isPending && <Skeleton rows={3} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && <ComponentTexts texts={data.texts} />}
    </>
  );
}
