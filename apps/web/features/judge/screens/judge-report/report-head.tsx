import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { memo } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { queryClient, refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton, CopiedId } from '../../../../ui/buttons';
import { DeleteDialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/notices';
import { count, Money } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { isUnderWay, Status } from '../../../../ui/status';
import { duration, Time } from '../../../../ui/time';
import { UserText } from '../../../../ui/user-text';
import { WorkActions } from '../../../jobs/parts/work-actions';
import { RunLink } from '../../../runs/parts/run-link';
import { deleteReport, reportsQuery, rerunReport } from '../../api';

interface Props {
  report: JudgeReport;
}

/** What was judged by whom, and what can be done with it. Live events that change none of this do not render it. */
export const ReportHead = memo(({ report }: Props) => {
  const { baseline_eval_id: baseline } = report;
  return (
    <section className="section" aria-label="The report">
      <div className="head">
        <h1>{baseline === null ? 'Judgements of a run' : 'Judgements of two runs'}</h1>
        <WorkActions
          work={report}
          again={!isUnderWay(report.status) && <Rerun id={report.id} />}
          deletion={(close) => <DeleteReport report={report} close={close} />}
        />
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
});

/** Other reports created by a rerun of the same one. */
function OtherVersions({ report }: Props) {
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

/** The settings of the report. */
function ReportSettings({ report }: Props) {
  const asked: Record<string, unknown> = report.input;
  const unused = unusedSettings(report);
  const settings = Object.entries(SETTING_LABELS)
    .filter(([key]) => !isEmpty(asked[key]) && !unused.includes(key))
    .map(([key, words]): [string, string] => [words, settingText(asked[key])]);
  return (
    <details>
      <summary>Settings</summary>
      <SettingsList settings={settings} />
    </details>
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

function DeleteReport({ report, close }: Props & { close: () => void }) {
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(deleteReport, async () => {
    close();
    await navigate({ to: '/judge' });
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

const SOURCES: Record<JudgeReport['source'], string> = {
  user: 'requested by a user',
  inline: 'requested by the run, while it was in progress',
  after: 'requested by the run, after it finished',
  auto: 'requested by the settings of the team',
};

const SETTING_LABELS: Record<string, string> = {
  which: 'Results',
  below: 'Below',
  sample_size: 'Maximum cases',
  samples: 'Judgements per result',
  reference: 'Sees the expectation',
  seed: 'Seed',
  temperature: 'Temperature',
  max_tokens: 'Maximum reply tokens',
  params: 'Parameters',
  budget: 'Budget',
  instructions: 'Instructions',
};

/** Settings without effect in this report are hidden. */
function unusedSettings({ input, baseline_eval_id: baseline }: JudgeReport): string[] {
  if (baseline !== null) return ['which', 'below'];
  return input.which === 'failed' ? ['sample_size'] : ['below', ...(input.which === 'all' ? ['sample_size'] : [])];
}

const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

const settingText = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : toText(value as Json);
