import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import { Uncalibrated } from '../../parts/calibration';
import { Compared } from '../../parts/compared';
import { Given, GivenLine } from '../../parts/given';
import { kappaText } from '../../parts/judged-figures';
import { unknownRun } from '../../parts/run-link';
import { count, percent, Score } from '../../parts/score';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { Outcome } from '../../parts/tune-outcome';
import { deltaWords, KIND_WORDS } from './entry-words';
import { PinButton } from './pin-button';

const MAX_SUMMARY = 500;

interface Props {
  experiment: Experiment;
  entries: readonly TimelineEntry[];
}

/** Ended jobs, oldest first, each against the baseline. Numbers are those of the figure. */
export function Entries({ experiment, entries }: Props) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="What ended in the experiment">
      <table className="entry-rows">
        <thead>
          <tr>
            <th className="number">Number</th>
            <th>What</th>
            <th>Ended</th>
            <th>Score</th>
            <th>Against the baseline</th>
            <th>What changed</th>
            <th>
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, place) => (
            <Row key={`${entry.type} ${entry.id}`} entry={entry} number={place + 1} experiment={experiment} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ entry, number, experiment }: { entry: TimelineEntry; number: number; experiment: Experiment }) {
  const { type, id, timestamp, status, score, score_ci: ci, scored, errored, is_best: isBest } = entry;
  return (
    <tr>
      <td className="number">{number}</td>
      <td className="named">
        <EntryLink entry={entry} />
        {status !== 'completed' && <Status status={status} />}
        {isBest && <strong> best</strong>}
        <span className="small muted">
          <GivenLine text={entry.targets.join(', ')} />
        </span>
      </td>
      <td>
        <Time at={timestamp} />
      </td>
      <td>
        {type === 'eval' ? <Score mean={score} ci={ci} scored={scored} errored={errored} /> : <Found entry={entry} />}
      </td>
      <td>{type === 'eval' && <Against entry={entry} baseline={experiment.baseline_eval_id} />}</td>
      <td className="changes">
        <Given text={entry.config_summary} max={MAX_SUMMARY} />
      </td>
      <td>
        {type === 'eval' && !entry.is_baseline && score !== null && (
          <PinButton experiment={experiment} runId={id} number={number} />
        )}
      </td>
    </tr>
  );
}

function EntryLink({ entry: { type, id } }: { entry: TimelineEntry }) {
  const words = KIND_WORDS[type];
  switch (type) {
    case 'eval':
      return (
        <Link to="/runs/$runId" params={{ runId: id }}>
          {unknownRun(id).replace('run', words)}
        </Link>
      );
    case 'param_tune':
      return (
        <Link to="/tunes/$tuneId" params={{ tuneId: id }}>
          {words}
        </Link>
      );
    case 'prompt_tune':
      return (
        <Link to="/tunes/prompts/$tuneId" params={{ tuneId: id }}>
          {words}
        </Link>
      );
    case 'judge':
      return (
        <Link to="/judge/reports/$reportId" params={{ reportId: id }}>
          {words}
        </Link>
      );
  }
}

/** A delta is never shown without its verdict. */
function Against({ entry, baseline }: { entry: TimelineEntry; baseline: string | null }) {
  const { comparison, is_baseline: isBaseline, id } = entry;
  if (isBaseline) return <strong>{deltaWords(entry)}</strong>;
  return (
    <>
      {comparison && <Compared verdict={comparison.verdict} small={comparison.small} />} {deltaWords(entry)}
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
function Found({ entry: { combos, holdout, prompt, judge, promoted_eval_id: promoted } }: { entry: TimelineEntry }) {
  return (
    <>
      {combos !== undefined && <span className="small">{count(combos)} combinations </span>}
      {holdout?.map(({ target, outcome }) => outcome && <Outcome key={target} outcome={outcome} />)}
      {prompt?.outcome && <Outcome outcome={prompt.outcome} />}
      {prompt?.prompt_version_id && (
        <Link to="/prompts/$promptId" params={{ promptId: prompt.prompt_version_id }}>
          its prompt
        </Link>
      )}
      {promoted && <Promoted runId={promoted}>the run of the winner</Promoted>}
      {judge && (
        <>
          {judge.share_ok !== null && <span>{percent(judge.share_ok)} correct or acceptable </span>}
          {judge.kappa !== null && <span className="small">kappa {kappaText(judge.kappa, null)} </span>}
          <Uncalibrated status={judge.calibration.status} />{' '}
          <Promoted runId={judge.eval_id}>the run it judged</Promoted>
        </>
      )}
    </>
  );
}

const Promoted = ({ runId, children }: { runId: string; children: ReactNode }) => (
  <Link to="/runs/$runId" params={{ runId }} className="small">
    {children}
  </Link>
);
