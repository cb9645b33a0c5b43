import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/allowed-button';
import { ErrorNotice } from '../../../../ui/error-notice';
import { isUnderWay } from '../../../../ui/status';
import { duration } from '../../../../ui/time';
import { UserText, UserBlock } from '../../../../ui/user-text';
import { testProvider } from '../../../providers/api';
import { resultQuery } from '../../../results/api';
import { failureGroupsQuery, runCasesQuery } from '../../api';
import { useCounted } from '../../parts/counted';
import { ResultsLink } from '../../parts/run-link';
import type { Hint, Step } from './hints/hint';
import { hintsOf } from './hints/hints';
import css from './run.module.css';

/**
 * Noticeable features of a run that often have the same cause, with what to do about them. Renders nothing without any.
 */
export function RunHints({ run }: { run: Run }) {
  const groups = useCounted(run, failureGroupsQuery(run.id));
  const failedCases = useCounted(run, runCasesQuery(run.id, 'all_failed'));
  const hints = isUnderWay(run.status) ? [] : hintsOf({ run, groups, failedCases });
  if (hints.length === 0) return null;
  return (
    <section aria-labelledby="hints" className="section">
      <h2 id="hints">{hints.length === 1 ? 'Worth a look' : `${hints.length} things worth a look`}</h2>
      <ul className={css.hints}>
        {hints.map((hint) => (
          <li key={hint.key} className="notice">
            <p>
              {hint.words.map((word, index) =>
                typeof word === 'string' ? word : <UserText key={index} text={word.given} max={300} />,
              )}
            </p>
            {hint.errorOf !== undefined && <ErrorOf runId={run.id} resultId={hint.errorOf} />}
            <Steps run={run} hint={hint} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A provider's response, verbatim. */
function ErrorOf({ runId, resultId }: { runId: string; resultId: string }) {
  const { data, error, refetch } = useQuery(resultQuery(runId, resultId));
  if (error && !data) return <ErrorNotice error={error} retry={() => refetch()} />;
  if (!data?.error) return null;
  return (
    <blockquote className="small">
      <UserBlock text={data.error.message} />
    </blockquote>
  );
}

function Steps({ run, hint: { steps } }: { run: Run; hint: Hint }) {
  return (
    <div className="actions">
      {steps.map((step, index) => (
        <NextStep key={index} run={run} step={step} />
      ))}
    </div>
  );
}

function NextStep({ run, step }: { run: Run; step: Step }) {
  const params = { runId: run.id };
  if (step.to === 'test') return <TestProvider providerKey={step.providerKey} />;
  if (step.to === 'results')
    return (
      <ResultsLink runId={run.id} search={step.search}>
        {step.words}
      </ResultsLink>
    );
  if (step.to === 'failures')
    return (
      <Link to="/runs/$runId/failures" params={params} search={{ group: step.group }}>
        {step.words}
      </Link>
    );
  if (step.to === 'result')
    return (
      <Link to="/runs/$runId/results/$resultId" params={{ ...params, resultId: step.resultId }}>
        {step.words}
      </Link>
    );
  if (step.to === 'case')
    return (
      <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId: run.suite.id, caseId: step.caseId }}>
        {step.words}
      </Link>
    );
  if (step.to === 'cases')
    return (
      <Link to="/runs/$runId/matrix" params={params} search={{ show: 'all_failed' }}>
        {step.words}
      </Link>
    );
  return (
    <Link to="/runs/new" search={{ from: run.id, ...(step.toolChoice && { tool_choice: step.toolChoice }) }}>
      {step.words}
    </Link>
  );
}

/** Sends one small request now, to see whether the provider answers. */
function TestProvider({ providerKey }: { providerKey: string }) {
  const refusal = useRefusal('editor');
  const test = useAction(testProvider);
  return (
    <>
      <AllowedButton
        refusal={refusal}
        className="dense"
        disabled={test.isPending}
        onClick={() => test.mutate(providerKey)}
      >
        <span>
          Test provider <UserText text={providerKey} max={60} />
        </span>
      </AllowedButton>
      <span role="status">
        {test.data?.ok === true && `It answers now, in ${duration(test.data.latency_ms)}.`}
        {test.data?.ok === false && (
          <>
            It does not answer: <UserText text={test.data.error ?? 'no reason given'} max={500} />
          </>
        )}
      </span>
      {test.error && <ErrorNotice error={test.error} />}
    </>
  );
}
