import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import { Empty } from '../../../../ui/empty';
import { useKeptQuery } from '../../../../ui/list';
import { PageLinks } from '../../../../ui/navigation';
import { Section } from '../../../../ui/query-boundary';
import { count, percent, Score, type Scored } from '../../../../ui/amounts';
import { Status } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { Time } from '../../../../ui/time';
import { UserLine, UserText } from '../../../../ui/user-text';
import { ComparisonMark } from '../../../compare/parts/comparison-mark';
import { JobLink, jobTitle } from '../../../jobs/parts/job-link';
import { Uncalibrated } from '../../../judge/parts/calibration';
import { kappaText } from '../../../judge/parts/judged-figures';
import { runQuery } from '../../../runs/api';
import { shortRunName } from '../../../runs/parts/run-link';
import { scoreOfRun } from '../../../runs/parts/run-score';
import { OutcomeMark } from '../../../tunes/parts/tune-outcome';
import { timelineQuery } from '../../api';
import { PinButton } from './best-configuration';
import css from './experiment.module.css';
import { deltaFromBaselineText } from './experiment-texts';
import { Timeline } from './timeline';

/** The ended jobs of an experiment, as a figure and as a table. */
export const ExperimentTimeline = ({ experiment }: { experiment: Experiment }) => (
  <Section id="timeline" title="Timeline" rows={8}>
    <Entries experiment={experiment} />
  </Section>
);

function Entries({ experiment }: { experiment: Experiment }) {
  const { after } = useSearch({ from: '/signed-in/experiments/$experimentId' });
  const { data, refetch } = useKeptQuery({ ...timelineQuery(experiment.id, after), staleTime: 0 });
  const { items: entries, next_cursor: next } = data;
  const baseline = useScore(experiment.baseline_eval_id);
  const compared = `${experiment.refreshing} ${experiment.baseline_eval_id} ${experiment.best?.eval_id}`;
  const before = useRef(compared);
  // Refetches once the comparisons have been recomputed, for the new deltas and verdicts.
  useEffect(() => {
    if (before.current !== compared && !experiment.refreshing) void refetch();
    before.current = compared;
  }, [compared, experiment.refreshing, refetch]);
  return (
    <>
      {entries.length === 0 ? (
        <NoEntries experiment={experiment} />
      ) : (
        <>
          <Timeline label="Scores of the experiment over time" entries={entries} baseline={baseline} />
          <TimelineTable experiment={experiment} entries={entries} />
        </>
      )}
      <PageLinks of="the timeline" after={after} next={next} words={['From the beginning', 'Later']} />
    </>
  );
}

const NoEntries = ({ experiment: { suite_id: suite } }: { experiment: Experiment }) => (
  <Empty
    action={
      <Link to="/runs/new" search={{ suite }} className="button">
        New run
      </Link>
    }
  >
    No entries yet. Finished runs, tunes and judge reports of this experiment appear here, compared with the baseline.
  </Empty>
);

interface Props {
  experiment: Experiment;
  entries: readonly TimelineEntry[];
}

function useScore(runId: string | null): Scored | undefined {
  const { data } = useQuery({ ...runQuery(runId ?? ''), enabled: runId !== null, retry: false });
  return data && runId !== null && data.score !== null ? scoreOfRun(data) : undefined;
}

const MAX_SUMMARY = 500;

/** Ended jobs, oldest first, each against the baseline. Numbers are those of the figure. */
function TimelineTable({ experiment, entries }: Props) {
  return (
    <Table
      label="Entries of the timeline"
      className={css.entries}
      rows={entries}
      keyOf={({ type, id }) => `${type} ${id}`}
      columns={[
        { name: 'Number', isNumber: true, cell: (_entry, place) => place + 1 },
        { name: 'Entry', className: 'named', cell: (entry) => <Entry entry={entry} /> },
        { name: 'Ended', cell: ({ timestamp }) => <Time at={timestamp} /> },
        {
          name: 'Score',
          cell: (entry) =>
            entry.type === 'eval' ? (
              <Score mean={entry.score} ci={entry.score_ci} scored={entry.scored} errored={entry.errored} />
            ) : (
              <Finding entry={entry} />
            ),
        },
        {
          name: 'Against the baseline',
          cell: (entry) =>
            entry.type === 'eval' && <DeltaFromBaseline entry={entry} baseline={experiment.baseline_eval_id} />,
        },
        {
          name: 'Changes',
          className: css.changes,
          cell: ({ config_summary: summary }) => <UserText text={summary} max={MAX_SUMMARY} />,
        },
        {
          name: 'Actions',
          isNameHidden: true,
          cell: ({ type, id, is_baseline: isBaseline, score }, place) =>
            type === 'eval' &&
            !isBaseline &&
            score !== null && <PinButton experiment={experiment} runId={id} number={place + 1} />,
        },
      ]}
    />
  );
}

const Entry = ({ entry }: { entry: TimelineEntry }) => (
  <>
    <EntryLink entry={entry} />
    {entry.status !== 'completed' && <Status status={entry.status} />}
    {entry.is_best && <strong> best</strong>}
    <span className="small muted">
      <UserLine text={entry.targets.join(', ')} />
    </span>
  </>
);

function EntryLink({ entry: { type: kind, id } }: { entry: TimelineEntry }) {
  const type = kind === 'eval' ? 'tool_eval' : kind;
  return (
    <JobLink job={{ type, result_ref: id, subject_ref: null }}>
      {kind === 'eval' ? shortRunName(id).replace('run', jobTitle(type)) : jobTitle(type)}
    </JobLink>
  );
}

/** A delta is never shown without its verdict. */
function DeltaFromBaseline({ entry, baseline }: { entry: TimelineEntry; baseline: string | null }) {
  const { comparison, is_baseline: isBaseline, id } = entry;
  if (isBaseline) return <strong>{deltaFromBaselineText(entry)}</strong>;
  return (
    <>
      {comparison && <ComparisonMark verdict={comparison.verdict} small={comparison.small} />}{' '}
      {deltaFromBaselineText(entry)}
      {comparison && <span className="muted small">, n {count(comparison.n_cases)}</span>}
      {baseline !== null && comparison && (
        <>
          {' '}
          <Link to="/compare" search={{ runs: [baseline, id] }}>
            Compare
          </Link>
        </>
      )}
    </>
  );
}

/** The finding of a tune or a judge. It is not a score: a winner's score is shown with its own run. */
function Finding({ entry: { combos, holdout, prompt, judge, promoted_eval_id: promoted } }: { entry: TimelineEntry }) {
  return (
    <>
      {combos !== undefined && <span className="small">{count(combos)} combinations </span>}
      {holdout?.map(({ target, outcome }) => outcome && <OutcomeMark key={target} outcome={outcome} />)}
      {prompt?.outcome && <OutcomeMark outcome={prompt.outcome} />}
      {prompt?.prompt_version_id && (
        <Link to="/prompts/$promptId" params={{ promptId: prompt.prompt_version_id }}>
          its prompt
        </Link>
      )}
      {promoted && <SmallRunLink runId={promoted}>the winning run</SmallRunLink>}
      {judge && (
        <>
          {judge.share_ok !== null && <span>{percent(judge.share_ok)} correct or acceptable </span>}
          {judge.kappa !== null && <span className="small">kappa {kappaText(judge.kappa, null)} </span>}
          <Uncalibrated status={judge.calibration.status} />{' '}
          <SmallRunLink runId={judge.eval_id}>the judged run</SmallRunLink>
        </>
      )}
    </>
  );
}

const SmallRunLink = ({ runId, children }: { runId: string; children: ReactNode }) => (
  <Link to="/runs/$runId" params={{ runId }} className="small">
    {children}
  </Link>
);
