import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';
import { List } from '../../../ui/list';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { percent } from '../../../ui/amounts';
import { Head } from '../../../ui/head';
import { MenuLink } from '../../../ui/menu';
import { useHidden } from '../../../ui/undo';
import { ModelName } from '../../providers/parts/model-name';
import { RunLink, runName, shortRunName } from '../../runs/parts/run-link';
import { calibrationQuery, judgeSettingQuery, namedRunsQuery, reportsQuery } from '../api';
import { CalibrationSentence } from '../parts/calibration';
import { reportColumns } from '../parts/report-rows';

/** Judge reports, and how well people's labels confirm the judges. */
export function JudgeScreen() {
  const { eval: run, after } = useSearch({ from: '/signed-in/judge' });
  return (
    <>
      <Head
        title="Judge"
        actions={
          <>
            <Link to="/judge/labels" search={{ eval: run }} className="button">
              Label results
            </Link>
            <NewReport run={run} />
          </>
        }
        menu={<MenuLink to="/settings/judge">Judge settings</MenuLink>}
      />
      {run === undefined && (
        <Section id="default-judge" title="Default judge">
          <DefaultJudge />
        </Section>
      )}
      <Reports run={run} after={after} />
    </>
  );
}

const NewReport = ({ run }: { run: string | undefined }) => (
  <Link to="/judge/new" search={{ eval: run }} className="button primary">
    New report
  </Link>
);

/** The team's judge, how well people's labels confirm it, and when it judges automatically. */
function DefaultJudge() {
  const { judge, auto_below: below } = useSuspenseQuery(judgeSettingQuery).data;
  return (
    <>
      {judge === null ? (
        <p className="muted">None. Each report names its judge.</p>
      ) : (
        <>
          <div className="facts">
            <ModelName target={judge} />
            <span className="muted">
              {below > 0 ? `judges failures of runs below ${percent(below)} by itself` : 'judges no run by itself'}
            </span>
            <Link to="/judge/calibration" search={{ judge }}>
              Calibration
            </Link>
          </div>
          <QueryBoundary rows={1}>
            <JudgeCalibration judge={judge} />
          </QueryBoundary>
        </>
      )}
    </>
  );
}

const JudgeCalibration = ({ judge }: { judge: string }) => (
  <CalibrationSentence calibration={useSuspenseQuery(calibrationQuery({ judge })).data} />
);

function Reports({ run, after }: { run: string | undefined; after: string | undefined }) {
  const { data: runs } = useQuery(namedRunsQuery);
  const hidden = useHidden();
  const nameOf = (id: string): string => {
    const found = runs?.items.find((one) => one.id === id);
    return found ? runName(found) : shortRunName(id);
  };
  return (
    <Section id="reports" title="Reports">
      {run !== undefined && (
        <div className="actions">
          <span>
            On <RunLink runId={run} />
          </span>
          <Link to="/judge" className="button dense">
            All reports
          </Link>
        </div>
      )}
      <List
        label="List of reports"
        of="reports"
        query={reportsQuery({ run, cursor: after })}
        after={after}
        className="run-rows"
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ hidden: hidden.has(id) })}
        columns={reportColumns(({ eval_id: of, baseline_eval_id: baseline }) =>
          baseline === null ? nameOf(of) : `${nameOf(of)} against ${nameOf(baseline)}`,
        )}
        empty={
          <Empty action={<NewReport run={run} />}>
            No reports yet. A judge is a model that says whether replies serve the user. It changes no score.
          </Empty>
        }
      />
    </Section>
  );
}
