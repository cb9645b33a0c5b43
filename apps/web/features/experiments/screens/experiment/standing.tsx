import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Experiment, ExperimentSince } from '#lib/contracts/experiment';
import { Chip } from '../../../../ui/chip';
import { Hint } from '../../../../ui/hint';
import { UserText } from '../../../../ui/user-text';
import { count, percent } from '../../../../ui/amounts';
import { modelOf } from '#lib/contracts/target-name';
import { modelTrendsQuery } from '../../api';
import {
  changedWords,
  fallOfModel,
  howOften,
  sinceRunName,
  worseModels,
  worstWords,
  type Fall,
} from '../../parts/standing-words';
import css from './experiment.module.css';

/** The answer: whether it is worse than its baseline, since when, which model, and what was changed for it. */
export function Standing({ experiment }: { experiment: Experiment }) {
  const { since, refreshing, baseline_eval_id: baseline } = experiment;
  const trend = useSuspenseQuery(modelTrendsQuery(experiment.id)).data.items[0];
  const fall = fallOfModel(experiment, trend?.history?.models ?? []);
  return (
    <section className={`section ${css.standing}`} aria-label="Now">
      <p className={css.answer}>
        {refreshing ? (
          <Chip kind="waiting">comparing…</Chip>
        ) : fall ? (
          <Since words="worse" model={modelOf(fall.target)} run={{ ...fall, id: fall.run_id }} />
        ) : since ? (
          <Answer since={since} />
        ) : (
          <span className="muted">{baseline === null ? 'No baseline yet.' : 'Nothing to compare yet.'}</span>
        )}
      </p>
      <p className={css.reason}>
        {refreshing ? (
          <>&nbsp;</>
        ) : fall ? (
          <FallReason fall={fall} since={since} baseline={baseline!} />
        ) : since ? (
          <Reason since={since} baseline={baseline} />
        ) : (
          <>&nbsp;</>
        )}
      </p>
    </section>
  );
}

function Answer({ since }: { since: ExperimentSince }) {
  const { state, run, runs, models } = since;
  if (state === 'unclear')
    return (
      <>
        <Hint term="too close to call">Too close to call</Hint> against the baseline.
      </>
    );
  if (state === 'as_good') return `As good as the baseline for ${count(runs)} ${runs === 1 ? 'run' : 'runs'}.`;
  if (state === 'better') return <Since words="better" run={run} />;
  return <Since words="worse" model={models > 1 ? worseModels(since) : undefined} run={run} />;
}

interface SinceProps {
  words: 'worse' | 'better';
  /** Left out for all of them. */
  model?: string | undefined;
  run: ExperimentSince['run'];
}

/** "nightly-mini is worse since Night 231, 12 Jun 2026" */
const Since = ({ words, model, run }: SinceProps) => (
  <>
    {model !== undefined && (
      <>
        <UserText text={model} max={100} /> {/ and \d+ more$/.test(model) ? 'are' : 'is'}{' '}
      </>
    )}
    <Chip kind={words === 'worse' ? 'failed' : 'passed'}>
      {model === undefined ? words.replace(/^\w/, (letter) => letter.toUpperCase()) : words}
    </Chip>{' '}
    since{' '}
    <Link to="/runs/$runId" params={{ runId: run.id }}>
      <UserText text={sinceRunName({ run })} max={100} />
    </Link>
    , <time dateTime={run.finished_at}>{dateOf(run.finished_at)}</time>
  </>
);

/** What the level of the model was and is. */
const FallReason = ({ fall, since, baseline }: { fall: Fall; since: ExperimentSince | null; baseline: string }) => (
  <>
    {percent(fall.from)} to {percent(fall.to)} on average.{' '}
    {since?.state === 'unclear' && (
      <>
        The last run alone is <Hint term="too close to call">too close to call</Hint>.{' '}
      </>
    )}
    <Link to="/compare" search={{ runs: [baseline, fall.run_id] }}>
      Compare with the baseline
    </Link>
  </>
);

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

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
/** "25 Nov 2026", in the reader's zone. */
const dateOf = (at: string): string => dates.format(new Date(at));
