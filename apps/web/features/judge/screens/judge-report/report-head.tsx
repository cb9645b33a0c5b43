import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { queryClient, refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton, CopiedId } from '../../../../ui/buttons';
import { ConfirmDialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/notices';
import { count, Money } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { isUnderWay, Status } from '../../../../ui/status';
import { Head } from '../../../../ui/head';
import { MenuItem } from '../../../../ui/menu';
import { Time } from '../../../../ui/time';
import { undo } from '../../../../ui/undo';
import { UserText } from '../../../../ui/user-text';
import { ModelName } from '../../../providers/parts/model-name';
import { WorkActions } from '../../../jobs/parts/work-actions';
import { RunLink } from '../../../runs/parts/run-link';
import { deleteReport, reportsQuery, rerunReport } from '../../api';

interface Props {
  report: JudgeReport;
}

const TRAIL = [{ to: '/judge', label: 'Judge' }] as const;

/** What was judged by whom, and what can be done with it. Live events that change none of this do not render it. */
export const ReportHead = memo(({ report }: Props) => {
  const { baseline_eval_id: baseline } = report;
  const refusal = useRefusal('editor');
  const [isDeleting, setDeleting] = useState(false);
  const isEnded = !isUnderWay(report.status);
  return (
    <section className="section" aria-label="The report">
      <Head
        title={baseline === null ? 'Judgements of a run' : 'Judgements of two runs'}
        trail={TRAIL}
        badge={<Status status={report.status} />}
        status={
          <>
            {baseline === null ? (
              <span>
                Run <RunLink runId={report.eval_id} />
              </span>
            ) : (
              <span>
                B: <RunLink runId={report.eval_id} />, A: <RunLink runId={baseline} />
              </span>
            )}
            <span>
              by <ModelName target={report.judge} />
            </span>
            <span>
              version {report.version} <OtherVersions report={report} />
            </span>
            <Time at={report.created_at} />
            <span>
              {count(report.usage.requests)} {report.usage.requests === 1 ? 'request' : 'requests'},{' '}
              <Money usd={report.cost_usd} />
            </span>
            {report.source !== 'user' && <span>{SOURCES[report.source]}</span>}
            <CopiedId id={report.id} what="report" />
          </>
        }
        actions={<WorkActions work={report} again={isEnded && <Rerun id={report.id} />} />}
        menu={
          isEnded ? (
            <MenuItem danger refusal={refusal} onSelect={() => setDeleting(true)}>
              Delete the report
            </MenuItem>
          ) : undefined
        }
      />
      {isDeleting && <DeleteReport report={report} close={() => setDeleting(false)} />}
      {report.error !== null && (
        <p className="notice">
          <UserText text={report.error} />
        </p>
      )}
      {report.self_judged && <p className="notice">The judge judges itself: models prefer their own replies.</p>}
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

function DeleteReport({ report: { id, judge, version, items }, close }: Props & { close: () => void }) {
  const navigate = useNavigate();
  const remove = async (): Promise<void> => {
    await deleteReport(id);
    queryClient.removeQueries({ queryKey: keys.report(id) });
    await queryClient.invalidateQueries({ queryKey: keys.judge });
  };
  return (
    <ConfirmDialog
      title="Delete this report?"
      action="Delete the report"
      isPending={false}
      error={null}
      close={close}
      act={() => {
        close();
        undo.later({ id, text: 'Report deleted.', act: remove });
        void navigate({ to: '/judge' });
      }}
    >
      <p>
        <ModelName target={judge} />, version {version}
      </p>
      <p>
        Its {count(items)} {items === 1 ? 'judgement goes' : 'judgements go'} with it. Labels and results stay.
      </p>
    </ConfirmDialog>
  );
}

const SOURCES: Record<JudgeReport['source'], string> = {
  user: '',
  inline: 'asked by the run',
  after: 'asked by the run',
  auto: 'by itself',
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
