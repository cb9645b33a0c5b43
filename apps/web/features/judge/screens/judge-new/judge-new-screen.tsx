import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { judgeSettingQuery } from '../../api/judge';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { ReportForm } from './report-form';
import { emptyReport } from './report-value';

/** A new judge report, before it is submitted. */
export function JudgeNewScreen() {
  const { eval: run, against } = useSearch({ from: '/signed-in/judge/new' });
  const { data: setting, error, isPending, refetch } = useQuery(judgeSettingQuery);
  const initial = useMemo(() => setting && emptyReport({ run, against, setting }), [run, against, setting]);
  const key = `new report ${run} ${against}`;
  return (
    <>
      <h1>New judge report</h1>
      {isPending && <Skeleton rows={12} />}
      {error && !setting && <ErrorNotice error={error} retry={() => refetch()} />}
      {initial && <ReportForm key={key} draftKey={key} initial={initial} />}
    </>
  );
}
