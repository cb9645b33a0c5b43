import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import { useRefusal } from '../../../../api/session';
import { Empty } from '../../../../ui/empty';
import { useKeptQuery } from '../../../../ui/list';
import { Menu, MenuItem, MenuLink } from '../../../../ui/menu';
import { modelOf } from '#lib/contracts/target-name';
import { PageLinks } from '../../../../ui/navigation';
import { ErrorNotice } from '../../../../ui/notices';
import { Section } from '../../../../ui/query-boundary';
import { count, percent, Score, type Scored } from '../../../../ui/amounts';
import { Status } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { Time } from '../../../../ui/time';
import { UserText } from '../../../../ui/user-text';
import { ComparisonMark } from '../../../compare/parts/comparison-mark';
import { JobLink, jobTitle } from '../../../jobs/parts/job-link';
import { Uncalibrated } from '../../../judge/parts/calibration';
import { kappaText } from '../../../judge/parts/judged-figures';
import { runQuery } from '../../../runs/api';
import { signedPoints } from '../../../runs/parts/against-words';
import { scoreOfRun } from '../../../runs/parts/run-score';
import { OutcomeMark } from '../../../tunes/parts/tune-outcome';
import { modelTrendsQuery, timelineQuery } from '../../api';
import { usePin } from '../../parts/pin-baseline';
import css from './experiment.module.css';
import { deltaFromBaselineText } from './experiment-texts';
import { Timeline } from './timeline';
import { entryName } from './timeline-marks';

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
  const trend = useSuspenseQuery(modelTrendsQuery(experiment.id)).data.items[0];
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
          <Timeline {...{ experiment, entries, baseline, trend }} />
          <TimelineTable key={after} experiment={experiment} entries={entries} />
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
    No entries yet. Runs, tunes and judge reports appear here when they end.
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

const FIRST_ROWS = 20;

/** Ended jobs, the newest or the oldest first, each against the baseline. */
function TimelineTable({ experiment, entries }: Props) {
  const [isOldest, setOldest] = useState(false);
  const [most, setMost] = useState(FIRST_ROWS);
  const rows = (isOldest ? entries : entries.toReversed()).slice(0, most);
  const left = entries.length - rows.length;
  return (
    <>
      <EntryTable experiment={experiment} entries={rows} />
      {entries.length > FIRST_ROWS && (
        <div className="actions">
          {left > 0 && (
            <button type="button" className="dense" onClick={() => setMost(most + FIRST_ROWS)}>
              {count(Math.min(left, FIRST_ROWS))} more
            </button>
          )}
          <button
            type="button"
            className="dense"
            onClick={() => {
              setOldest(!isOldest);
              setMost(FIRST_ROWS);
            }}
          >
            {isOldest ? 'Newest first' : 'Oldest first'}
          </button>
          <span className="muted small">
            {count(rows.length)} of {count(entries.length)}
          </span>
        </div>
      )}
    </>
  );
}

function EntryTable({ experiment, entries }: Props) {
  return (
    <Table
      label="Entries of the timeline"
      className={css.entries}
      hasCards
      rows={entries}
      keyOf={({ type, id }) => `${type} ${id}`}
      columns={[
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
          cell: (entry) => entry.type === 'eval' && <DeltaFromBaseline entry={entry} experiment={experiment} />,
        },
        { name: 'Worst model', cell: ({ comparison }) => <WorstModel models={comparison?.models} /> },
        {
          name: 'Changes',
          className: css.changes,
          cell: ({ config_summary: summary, is_baseline: isBaseline }) =>
            !isBaseline && <UserText text={summary === 'as baseline' ? 'none' : summary} max={MAX_SUMMARY} />,
        },
        {
          name: 'Actions',
          isNameHidden: true,
          cell: (entry) => entry.type === 'eval' && <EntryMenu experiment={experiment} entry={entry} />,
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
  </>
);

function EntryLink({ entry }: { entry: TimelineEntry }) {
  const { type: kind, id, targets } = entry;
  const type = kind === 'eval' ? 'tool_eval' : kind;
  return (
    <span title={targets.join(', ')}>
      <JobLink job={{ type, result_ref: id, subject_ref: null }}>
        {kind === 'eval' ? <UserText text={entryName(entry)} max={100} /> : jobTitle(type)}
      </JobLink>
      {entry.name !== null && <span className="small muted"> {id.slice(-4)}</span>}
    </span>
  );
}

/** The model that lost most; nothing where none is shown to be worse. */
function WorstModel({ models }: { models: NonNullable<TimelineEntry['comparison']>['models'] }) {
  const worst = models?.worst;
  if (!worst || models.regressed === 0 || worst.difference === null) return null;
  return (
    <span title={worst.target}>
      <UserText text={modelOf(worst.target)} max={60} />{' '}
      <span className="nowrap">{signedPoints(worst.difference)}</span>
      {models.regressed > 1 && <span className="small muted"> and {count(models.regressed - 1)} more</span>}
    </span>
  );
}

interface OfEntry {
  entry: TimelineEntry;
  experiment: Experiment;
}

/** What can be done with a run of the experiment. */
function EntryMenu({ experiment, entry }: OfEntry) {
  const { id, is_baseline: isBaseline, score } = entry;
  const refusal = useRefusal('editor');
  const pin = usePin(experiment);
  if (isBaseline || score === null) return null;
  const name = entryName(entry);
  return (
    <>
      <Menu label={`Actions for ${name}`}>
        <MenuItem refusal={refusal} onSelect={() => pin.mutate({ evalId: id, name })}>
          Pin as baseline
        </MenuItem>
        {experiment.baseline_eval_id !== null && (
          <MenuLink to="/compare" search={{ runs: [experiment.baseline_eval_id, id] }}>
            Compare with the baseline
          </MenuLink>
        )}
      </Menu>
      {pin.isError && <ErrorNotice error={pin.error} />}
    </>
  );
}

/** A delta is never shown without its verdict. Both are a link to the comparison. */
function DeltaFromBaseline({ entry, experiment: { baseline_eval_id: baseline, refreshing } }: OfEntry) {
  const { comparison, is_baseline: isBaseline, id } = entry;
  if (isBaseline) return <strong>the baseline</strong>;
  if (!comparison && refreshing) return <span className="muted">comparing…</span>;
  const words = (
    <>
      {comparison && <ComparisonMark verdict={comparison.verdict} small={comparison.small} />}{' '}
      {deltaFromBaselineText(entry)}
    </>
  );
  if (!comparison || baseline === null) return words;
  return (
    <Link to="/compare" search={{ runs: [baseline, id] }} title={comparison.text} className={css.against}>
      {words}
    </Link>
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
