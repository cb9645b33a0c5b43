import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { refreshWork } from '../../../../api/query-client';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import { Fields } from '../../../../ui/form/schema';
import { judgeSettingQuery, submitReport } from '../../api';
import { REPORT_FIELDS } from './report-fields';
import { emptyReport, reportRequest } from './report-value';

/** A new judge report, before it is submitted. */
export function JudgeNewScreen() {
  const navigate = useNavigate();
  const { eval: run, against } = useSearch({ from: '/signed-in/judge/new' });
  const { data: setting } = useSuspenseQuery(judgeSettingQuery);
  const name = `new report ${run} ${against}`;
  return (
    <>
      <h1>New judge report</h1>
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
        label="Submit"
        figures={(_none, missing) => (
          <>
            <p className="muted">
              A judgement changes no score. Each result takes one request to the judge, and a second one if the reply
              addresses a grader; each case of a comparison takes two.
            </p>
            {missing.length > 0 && (
              <ul>
                {missing.map(({ path, message }) => (
                  <li key={path}>{message}</li>
                ))}
              </ul>
            )}
          </>
        )}
        action="Judge"
      >
        <Fields of={REPORT_FIELDS} />
      </EstimatedForm>
    </>
  );
}
