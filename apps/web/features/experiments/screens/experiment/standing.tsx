import { Link } from '@tanstack/react-router';
import type { Experiment, ExperimentSince } from '#lib/contracts/experiment';
import { Chip } from '../../../../ui/chip';
import { Hint } from '../../../../ui/hint';
import { UserText } from '../../../../ui/user-text';
import { count } from '../../../../ui/amounts';
import { changedWords, howOften, sinceRunName, worstWords } from '../../parts/standing-words';
import css from './experiment.module.css';

/** The answer: whether it is worse than its baseline, since when, which model, and what was changed for it. */
export function Standing({ experiment }: { experiment: Experiment }) {
  const { since, refreshing, baseline_eval_id: baseline } = experiment;
  return (
    <section className={`section ${css.standing}`} aria-label="Now">
      <p className={css.answer}>
        {refreshing ? (
          <Chip kind="waiting">comparing…</Chip>
        ) : since ? (
          <Answer since={since} />
        ) : (
          <span className="muted">{baseline === null ? 'No baseline yet.' : 'Nothing to compare yet.'}</span>
        )}
      </p>
      <p className={css.reason}>{since && !refreshing ? <Reason since={since} baseline={baseline} /> : <>&nbsp;</>}</p>
    </section>
  );
}

function Answer({ since }: { since: ExperimentSince }) {
  const { state, run, runs } = since;
  if (state === 'unclear')
    return (
      <>
        <Hint term="too close to call">Too close to call</Hint> against the baseline.
      </>
    );
  if (state === 'as_good') return `As good as the baseline for ${count(runs)} ${runs === 1 ? 'run' : 'runs'}.`;
  return (
    <>
      <Chip kind={state === 'worse' ? 'failed' : 'passed'}>{state === 'worse' ? 'Worse' : 'Better'}</Chip> since{' '}
      <Link to="/runs/$runId" params={{ runId: run.id }}>
        <UserText text={sinceRunName(since)} max={100} />
      </Link>
      , <time dateTime={run.finished_at}>{dateOf(run.finished_at)}</time>
    </>
  );
}

function Reason({ since, baseline }: { since: ExperimentSince; baseline: string | null }) {
  const { state, run, before } = since;
  if (state !== 'worse' && state !== 'better') return <>&nbsp;</>;
  const worst = worstWords(since);
  const often = howOften(since)
    .replace(/^\w/, (letter) => letter.toUpperCase())
    .replace(/\d$/, '$&.');
  return (
    <>
      <UserText text={[worst, changedWords(since), often].filter(Boolean).join(' ')} max={400} />{' '}
      <Link to="/compare" search={{ runs: [before, run.id] }}>
        {before === baseline ? 'Compare with the baseline' : 'Compare with the run before'}
      </Link>
    </>
  );
}

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/** "25 Nov, 13:31", in the reader's zone. */
const dateOf = (at: string): string => dates.format(new Date(at));
