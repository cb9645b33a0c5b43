import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';
import { List } from '../../../ui/list';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import { RunLink, runName, shortRunName } from '../../runs/parts/run-link';
import { calibrationQuery, judgeSettingQuery, namedRunsQuery, reportsQuery } from '../api';
import { CalibrationSentence } from '../parts/calibration';
import { reportColumns } from '../parts/report-rows';

/** Judge reports, and how well people's labels confirm the judges. */
export function JudgeScreen() {
  const { eval: run, after } = useSearch({ from: '/signed-in/judge' });
  return (
    <>
      <div className="head">
        <h1>Judge</h1>
        <div className="actions">
          <Link to="/judge/labels" search={{ eval: run }} className="button">
            Label results
          </Link>
          <NewReport run={run} />
        </div>
      </div>
      <p>
        A judge is a model that decides whether stored results serve the user. Its judgements change no score, and
        labels by people show how far it can be trusted.
      </p>
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
        <p className="muted">The team has no default judge. Each report names its judge.</p>
      ) : (
        <>
          <div className="facts">
            <UserText text={judge} max={300} />
            <span className="muted">
              {below > 0
                ? `automatically judges the failures of runs that score below ${below}`
                : 'judges no runs automatically'}
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
      <div className="actions">
        <Link to="/settings/judge" className="button">
          Judge settings
        </Link>
      </div>
    </>
  );
}

const JudgeCalibration = ({ judge }: { judge: string }) => (
  <CalibrationSentence calibration={useSuspenseQuery(calibrationQuery({ judge })).data} />
);

function Reports({ run, after }: { run: string | undefined; after: string | undefined }) {
  const { data: runs } = useQuery(namedRunsQuery);
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
        columns={reportColumns(({ eval_id: of, baseline_eval_id: baseline }) =>
          baseline === null ? nameOf(of) : `${nameOf(of)} against ${nameOf(baseline)}`,
        )}
        empty={
          <Empty action={<NewReport run={run} />}>
            No reports yet. A report holds the judgements of a model on the results of one or two runs.
          </Empty>
        }
      />
    </Section>
  );
}
