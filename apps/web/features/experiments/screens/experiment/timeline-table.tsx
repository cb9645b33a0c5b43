import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import { Uncalibrated } from '../../../judge/parts/calibration';
import { ComparisonMark } from '../../../compare/parts/comparison-mark';
import { UserText, UserLine } from '../../../../ui/user-text';
import { JobLink, jobTitle } from '../../../jobs/parts/job-link';
import { kappaText } from '../../../judge/parts/judged-figures';
import { shortRunName } from '../../../runs/parts/run-link';
import { count, percent, Score } from '../../../../ui/score';
import { Status } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { Time } from '../../../../ui/time';
import { OutcomeMark } from '../../../tunes/parts/tune-outcome';
import { deltaFromBaselineText } from './experiment-texts';
import { PinButton } from './pin-button';

const MAX_SUMMARY = 500;

interface Props {
  experiment: Experiment;
  entries: readonly TimelineEntry[];
}

/** Ended jobs, oldest first, each against the baseline. Numbers are those of the figure. */
export function TimelineTable({ experiment, entries }: Props) {
  return (
    <Table
      label="Entries of the timeline"
      className="entry-rows"
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
          className: 'changes',
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
