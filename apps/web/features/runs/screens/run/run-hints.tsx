import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/buttons';
import { ErrorNotice } from '../../../../ui/notices';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { isUnderWay } from '../../../../ui/status';
import { duration } from '../../../../ui/time';
import { UserText, UserBlock } from '../../../../ui/user-text';
import { testProvider } from '../../../providers/api';
import { resultQuery } from '../../../results/api';
import { failedCasesQuery, failureGroupsQuery } from '../../api';
import { useCounted } from '../../parts/counted';
import type { Step } from './hints/hint';
import { hintsOf } from './hints/hints';
import css from './run.module.css';

/**
 * Noticeable features of a run that often have the same cause, with what to do about them. Renders nothing without any.
 */
export function RunHints({ run }: { run: Run }) {
  const groups = useCounted(run, failureGroupsQuery(run.id));
  const failedCases = useCounted(run, failedCasesQuery(run.id));
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
            {hint.errorOf !== undefined && (
              <QueryBoundary rows={0}>
                <ErrorOf runId={run.id} resultId={hint.errorOf} />
              </QueryBoundary>
            )}
            <div className="actions">
              {hint.steps.map((step, index) => (
                <NextStep key={index} run={run} step={step} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A provider's response, verbatim. */
function ErrorOf({ runId, resultId }: { runId: string; resultId: string }) {
  const { error } = useSuspenseQuery(resultQuery(runId, resultId)).data;
  return (
    error && (
      <blockquote className="small">
        <UserBlock text={error.message} />
      </blockquote>
    )
  );
}

function NextStep({ run, step }: { run: Run; step: Step }) {
  if (step.to === 'test') return <TestProvider providerKey={step.providerKey} />;
  return <Link {...addressOf(run, step)}>{step.words}</Link>;
}

function addressOf(run: Run, step: Exclude<Step, { to: 'test' }>): LinkProps {
  const params = { runId: run.id };
  switch (step.to) {
    case 'results':
      return { to: '/runs/$runId/results', params, search: step.search };
    case 'failures':
      return { to: '/runs/$runId/failures', params, search: { group: step.group } };
    case 'result':
      return { to: '/runs/$runId/results/$resultId', params: { ...params, resultId: step.resultId } };
    case 'case':
      return { to: '/suites/$suiteId/cases/$caseId', params: { suiteId: run.suite.id, caseId: step.caseId } };
    case 'cases':
      return { to: '/runs/$runId/matrix', params, search: { show: 'all_failed' } };
    case 'run again':
      return { to: '/runs/new', search: { from: run.id, tool_choice: step.toolChoice } };
  }
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
