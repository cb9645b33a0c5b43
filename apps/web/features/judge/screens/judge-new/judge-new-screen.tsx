import { useSuspenseQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { refreshWork } from '../../../../api/query-client';
import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import { count, Money } from '../../../../ui/amounts';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import type { FormFault } from '../../../../ui/form/form-request';
import { Fields } from '../../../../ui/form/schema';
import { Head } from '../../../../ui/head';
import { Note } from '../../../../ui/hint';
import { judgeSettingQuery, reportEstimateQuery, submitReport } from '../../api';
import { REPORT_FIELDS } from './report-fields';
import { emptyReport, reportRequest } from './report-value';

const TRAIL = [{ to: '/judge', label: 'Judge' }] as const;

/** A new judge report, before it is submitted. */
export function JudgeNewScreen() {
  const navigate = useNavigate();
  const { eval: run, against } = useSearch({ from: '/signed-in/judge/new' });
  const { data: setting } = useSuspenseQuery(judgeSettingQuery);
  const name = `new report ${run} ${against}`;
  return (
    <>
      <Head title="New judge report" trail={TRAIL} />
      <EstimatedForm
        key={name}
        name={name}
        initial={useMemo(() => emptyReport({ run, against, setting }), [run, against, setting])}
        requestOf={reportRequest}
        send={submitReport}
        onDone={({ report_id: reportId }) => {
          void refreshWork();
          return navigate({ to: '/judge/reports/$reportId', params: { reportId } });
        }}
        estimateOf={reportEstimateQuery}
        figures={(estimate, missing) => <ReportFigures estimate={estimate} missing={missing} />}
        action="Judge"
      >
        <Fields of={REPORT_FIELDS} />
      </EstimatedForm>
    </>
  );
}

/** What the report takes, or what has to be chosen first. */
function ReportFigures({
  estimate: { data },
  missing,
}: {
  estimate: UseQueryResult<JudgeEstimate>;
  missing: FormFault[];
}) {
  if (missing.length > 0)
    return (
      <ul>
        {missing.map(({ path, message }) => (
          <li key={path}>{message}</li>
        ))}
      </ul>
    );
  return (
    <>
      <p>
        {data ? `${count(data.results)} ${data.results === 1 ? 'result' : 'results'}` : '–'}
        {data && `, ${count(data.requests)} ${data.requests === 1 ? 'request' : 'requests'}`}
      </p>
      <p>{data ? <Money usd={data.cost_usd} /> : '–'}</p>
      <p className="muted small">
        <Note of="How">
          {data?.tokens_by === 'rule'
            ? 'By a rule: 1,500 tokens a request and 200 a reply. This judge has judged nothing yet.'
            : 'By the last reports of this judge.'}{' '}
          A reply that addresses a grader takes another request. A judgement changes no score.
        </Note>
      </p>
    </>
  );
}
