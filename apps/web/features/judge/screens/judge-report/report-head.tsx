import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../../../api/action';
import { deleteReport, reportsQuery, rerunReport } from '../../api/judge';
import { refreshWork } from '../../../../api/refresh';
import { keys } from '../../../../api/keys';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/allowed-button';
import { CopiedId } from '../../../../ui/copied-id';
import { DeleteDialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { Money } from '../../../../ui/money';
import { RunLink } from '../../../runs/parts/run-link';
import { count } from '../../../../ui/score';
import { isUnderWay, Status } from '../../../../ui/status';
import { duration, Time } from '../../../../ui/time';
import { WorkActions } from '../../../jobs/parts/work-actions';
import { ReportSettings } from './report-settings';

const SOURCES: Record<JudgeReport['source'], string> = {
  user: 'requested by a user',
  inline: 'requested by the run, while it was in progress',
  after: 'requested by the run, after it finished',
  auto: 'requested by the settings of the team',
};

export function ReportHead({ report }: { report: JudgeReport }) {
  const { baseline_eval_id: baseline } = report;
  return (
    <section className="section" aria-label="The report">
      <div className="head">
        <h1>{baseline === null ? 'Judgements of a run' : 'Judgements of two runs'}</h1>
        <Actions report={report} />
      </div>
      <div className="facts">
        <Status status={report.status} />
        {baseline === null ? (
          <span>
            Run <RunLink runId={report.eval_id} />
          </span>
        ) : (
          <span>
            B: <RunLink runId={report.eval_id} />, compared with A: <RunLink runId={baseline} />
          </span>
        )}
        <span>
          Judge <UserText text={report.judge} max={200} />
        </span>
        <span>
          Version {report.version} <OtherVersions report={report} />
        </span>
        <Time at={report.created_at} />
        {report.finished_at !== null && (
          <span>took {duration(new Date(report.finished_at).getTime() - new Date(report.created_at).getTime())}</span>
        )}
        <span>
          {count(report.usage.requests)} requests, <Money usd={report.cost_usd} />
        </span>
        <span className="muted">{SOURCES[report.source]}</span>
        <CopiedId id={report.id} what="report" />
      </div>
      {report.error !== null && (
        <p className="notice">
          <UserText text={report.error} />
        </p>
      )}
      {report.self_judged && (
        <p className="notice">The judge and a judged model are of the same kind. Models prefer their own replies.</p>
      )}
      <ReportSettings report={report} />
    </section>
  );
}

/** Other reports created by a rerun of the same one. */
function OtherVersions({ report }: { report: JudgeReport }) {
  const { data } = useQuery(reportsQuery({ run: report.eval_id }));
  const others = (data?.items ?? []).filter(({ id, root_id: root }) => root === report.root_id && id !== report.id);
  if (others.length === 0) return null;
  return (
    <>
      (others:{' '}
      {others.map(({ id, version }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/judge/reports/$reportId" params={{ reportId: id }}>
            version {version}
          </Link>
        </span>
      ))}
      )
    </>
  );
}

function Actions({ report }: { report: JudgeReport }) {
  return (
    <WorkActions
      work={report}
      again={!isUnderWay(report.status) && <Rerun id={report.id} />}
      deletion={(close) => <DeleteReport report={report} close={close} />}
    />
  );
}

function Rerun({ id }: { id: string }) {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const rerun = useAction(rerunReport, ({ report_id: reportId }) =>
    Promise.all([refreshWork(), navigate({ to: '/judge/reports/$reportId', params: { reportId } })]),
  );
  return (
    <>
      <AllowedButton
        refusal={refusal}
        disabled={rerun.isPending}
        title="Creates the next version with the same settings"
        onClick={() => rerun.mutate(id)}
      >
        Rerun
      </AllowedButton>
      {rerun.isError && <ErrorNotice error={rerun.error} />}
    </>
  );
}

function DeleteReport({ report, close }: { report: JudgeReport; close: () => void }) {
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(deleteReport, async () => {
    close();
    void navigate({ to: '/judge' });
    queryClient.removeQueries({ queryKey: keys.report(report.id) });
    await queryClient.invalidateQueries({ queryKey: keys.judge });
  });
  return (
    <DeleteDialog
      title="Delete this report?"
      action="Delete the report"
      act={() => mutate(report.id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={report.judge} max={200} />, version {report.version}
      </p>
      <p>
        This also deletes its {count(report.items)} judgements and the requests to the judge with their replies. Labels
        by people and results stay. This cannot be undone.
      </p>
    </DeleteDialog>
  );
}
