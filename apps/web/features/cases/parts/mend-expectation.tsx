import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { isFinished } from '#lib/contracts/values/jobs';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Run } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { statusOf } from '../../../api/client';
import { refreshWork } from '../../../api/query-client';
import { count } from '../../../ui/amounts';
import { AllowedButton } from '../../../ui/buttons';
import { Dialog } from '../../../ui/dialog';
import { useFormState } from '../../../ui/form/form';
import { JsonForm, useForm } from '../../../ui/form/json-form';
import { submitOnCtrlEnter } from '../../../ui/keys';
import { ErrorNotice } from '../../../ui/notices';
import { QueryBoundary, Skeleton } from '../../../ui/query-boundary';
import { Bar } from '../../../ui/status';
import { UserText } from '../../../ui/user-text';
import { jobQuery } from '../../jobs/api';
import { resultsSearch } from '../../results/address';
import type { Result } from '../../results/api';
import { expectedText } from '../../results/parts/paired-calls';
import { suiteQuery } from '../../suites/api';
import { caseQuery, type StoredCase } from '../api';
import { toolNames } from './argument-rows';
import { refusalOfCalled, withAlternative, withCalled } from './called-expectation';
import { EXPECTATION_KEYS, inputOf } from './case-value';
import { ExpectationFields, useCase } from './expectation-fields';
import { mendCase, type Mended } from './mend-case';
import css from './mend.module.css';

interface Props {
  result: Result;
  run: Pick<Run, 'id' | 'suite'>;
  close: () => void;
}

/** Corrects what the case of a result expects, and scores the stored replies of its run with that. */
export const MendExpectation = ({ result, run, close }: Props) => (
  <Dialog title="Correct the expectation" close={close}>
    <QueryBoundary rows={12}>
      <Mending {...{ result, run, close }} />
    </QueryBoundary>
  </Dialog>
);

function Mending(props: Props) {
  const { result, run, close } = props;
  const { data, error, isFetchedAfterMount } = useQuery({ ...caseQuery(run.suite.id, result.case_id), staleTime: 0 });
  const { data: suite } = useSuspenseQuery(suiteQuery(run.suite.id));
  const [mended, setMended] = useState<Mended>();
  if (mended) return <Scoring {...props} mended={mended} />;
  if (!isFetchedAfterMount) return <Skeleton rows={12} />;
  if (data) return <MendForm {...props} suite={suite} stored={data} onDone={setMended} />;
  return (
    <>
      {statusOf(error) === 404 ? (
        <p>The case is no longer in the suite, so there is nothing to correct.</p>
      ) : (
        error && <ErrorNotice error={error} />
      )}
      <div className="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  );
}

interface FormProps extends Props {
  suite: Suite;
  stored: StoredCase;
  onDone: (mended: Mended) => void;
}

function MendForm({ result, run, suite, stored: read, close, onDone }: FormProps) {
  // As it was when the correction began, whoever changes it meanwhile.
  const [stored] = useState(read);
  const initial = useMemo(() => inputOf(stored), [stored]);
  const { draft, refusal, body, sending, submit } = useFormState<Json, Mended>({
    initial,
    send: (input, options) =>
      mendCase({ suiteId: suite.id, caseId: result.case_id, runId: run.id, before: initial }, input, options),
    onDone,
  });
  const isChanged = stringifyInSourceOrder(draft.value.value) !== stringifyInSourceOrder(initial);
  const isSameVersion = !isChanged && suite.version === run.suite.version;
  const version = isChanged ? suite.version + 1 : suite.version;
  return (
    <JsonForm edited={draft.value} change={draft.change} error={sending.error} refusal={refusal}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <EditedSince {...{ result, run, stored }} />
        <FromReply {...{ result, suite }} />
        <ExpectationFields suiteTools={suite.tools as unknown as Json} />
        {sending.error && <ErrorNotice error={sending.error} />}
        <div className={css.foot}>
          <p className="muted" role="status">
            {isSameVersion ? 'This is what the run was scored with.' : `${whatItDoes(isChanged, version)} ${NOT_ASKED}`}
          </p>
          <div className="actions">
            <AllowedButton
              type="submit"
              className="primary"
              refusal={refusal}
              disabled={body === undefined || isSameVersion || sending.isPending}
              title={refusal ?? 'Ctrl+Enter'}
            >
              {isChanged ? 'Save and rescore' : 'Rescore'}
            </AllowedButton>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </div>
        </div>
      </form>
    </JsonForm>
  );
}

const NOT_ASKED = 'Nothing is asked again.';
const whatItDoes = (isChanged: boolean, version: number): string =>
  isChanged
    ? `Saves version ${version} of the suite, and scores this run's stored replies with it.`
    : `Scores this run's stored replies with version ${version} of the suite.`;

/** What the run was scored with, if the case expects something else since. */
function EditedSince({ result, run, stored }: Pick<FormProps, 'result' | 'run' | 'stored'>) {
  const now = expectedText({ expected: expectationIn(stored) });
  const ran = expectedText(result);
  if (now === ran) return null;
  return (
    <p>
      Edited since this run. It was scored with version {run.suite.version}: <UserText text={ran} max={300} />
    </p>
  );
}

const expectationIn = ({ expected_tool: tool, expected_params: params, expected_calls: calls }: JsonObject) => ({
  tool: tool ?? null,
  params: params ?? null,
  ...(Array.isArray(calls) && { calls }),
});

/** Takes the expectation from the reply. */
function FromReply({ result, suite }: Pick<FormProps, 'result' | 'suite'>) {
  const { refusal } = useForm();
  const { input, replace } = useCase();
  if (result.outcome !== 'scored') return null;
  const unreadable = refusal ?? refusalOfCalled(input, result);
  const either = withAlternative(input, result);
  const names = toolNames(input, suite.tools as unknown as Json);
  const called = result.called.map(({ name: tool, arguments: params }) => ({ tool, params }));
  return (
    <>
      <p className="muted">
        Called: <UserText text={expectedText({ expected: { tool: null, params: null, calls: called } })} max={300} />
      </p>
      <div className="actions">
        <AllowedButton
          autoFocus
          refusal={unreadable}
          onClick={() => replace(withCalled(input, result, names), EXPECTATION_KEYS)}
        >
          Take what was called
        </AllowedButton>
        {either && (
          <AllowedButton refusal={unreadable} onClick={() => replace(either, EXPECTATION_KEYS)}>
            Accept both
          </AllowedButton>
        )}
      </div>
    </>
  );
}

const LOOK_MS = 500;

/** The rescore under way. When it is done, it opens the result with its verdict. */
function Scoring({ result, run, close, mended: { rescoreId: rescore, jobId, version } }: Props & { mended: Mended }) {
  const { data: job } = useQuery({
    ...jobQuery(jobId),
    refetchInterval: ({ state }) => (state.data && isFinished(state.data.status) ? false : LOOK_MS),
  });
  const navigate = useNavigate();
  const search = resultsSearch(useSearch({ strict: false }));
  const status = job?.status;
  const open = useEffectEvent(async () => {
    await refreshWork(run.id);
    const params = { runId: run.id, resultId: result.id };
    await navigate({ to: '/runs/$runId/results/$resultId', params, search: { ...search, rescore } });
    close();
  });
  useEffect(() => {
    if (status === 'completed') void open();
  }, [status]);
  const { done, total } = job?.progress ?? { done: 0, total: 0 };
  return (
    <>
      <p role="status">{job?.error ?? `Scoring with version ${version}: ${count(done)} of ${count(total)} results.`}</p>
      <Bar done={done} total={total} label="Scored results" />
      <div className="actions">
        <button type="button" onClick={close}>
          {status !== undefined && isFinished(status) ? 'Close' : 'Go on in the background'}
        </button>
      </div>
    </>
  );
}
