import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { count, percent } from '../../../../ui/amounts';
import { MarkCard, Picture, Plot, useMarks } from '../../../../ui/figures/picture';
import { linearScale, type Scale } from '../../../../ui/figures/scales';
import { Note } from '../../../../ui/hint';
import { UserText } from '../../../../ui/user-text';
import { kindInWords, scoreInWords } from './candidates';
import css from '../prompt-tunes.module.css';

interface Props {
  candidates: readonly PromptCandidate[];
  open: (candidate: number) => void;
}

const HEIGHT = 240;
const MARGIN = 20;
const FOOT = 24;
/** In percent of the width: the labels of the scores, and room for the last dot. */
const [LEFT, RIGHT] = [8, 96];

/** The leading candidates by length and score: the best one is high and to the left. */
export function FrontPicture({ candidates, open }: Props) {
  // The best is drawn last, above others of its length and score.
  const drawn = candidates
    .filter(({ scores: { select } }) => select !== null)
    .toSorted((a, b) => Number(a.state === 'best') - Number(b.state === 'best') || a.length - b.length);
  const lengths = linearScale(drawn.map(({ length }) => length));
  const scores = scaleOf(drawn);
  if (drawn.length < 2) return null;
  return (
    <Picture
      label="Score against length"
      read={
        <Note of="How to read this">
          Higher is better, and further left is shorter. The filled dot is the chosen candidate; a diamond is what the
          held-out cases say of it, which nothing was chosen by.
        </Note>
      }
    >
      <CandidatePlot
        {...{ drawn, open, scores }}
        x={({ length }) => lengths.at(length)}
        xTicks={lengths.ticks.map((tick) => ({ at: lengths.at(tick), words: count(tick) }))}
        name="Characters"
        hasHeldOut
      />
    </Picture>
  );
}

/** Which candidate was made from which, in the order of their creation, and how the scores went. */
export function LineagePicture({ candidates, open }: Props) {
  const scores = scaleOf(candidates);
  const places = new Map(candidates.map(({ candidate }, place) => [candidate, place]));
  const last = Math.max(1, candidates.length - 1);
  if (candidates.length < 2) return null;
  const starts = candidates.filter(({ iteration }, n) => n > 0 && iteration !== candidates[n - 1]!.iteration);
  const every = Math.ceil(starts.length / MAX_ITERATIONS);
  return (
    <Picture
      label="Origin and score of each candidate"
      read={
        <Note of="How to read this">
          A line leads from a candidate to what was made of it. A cross was rejected on a few cases, and has no score.
        </Note>
      }
    >
      <CandidatePlot
        {...{ drawn: candidates, open, scores }}
        x={({ candidate }) => places.get(candidate)! / last}
        xTicks={starts
          .filter((_, n) => n % every === 0)
          .map(({ candidate, iteration }) => ({ at: places.get(candidate)! / last, words: count(iteration) }))}
        name="Iteration"
        hasLines
      />
    </Picture>
  );
}
const MAX_ITERATIONS = 12;

function scaleOf(candidates: readonly PromptCandidate[]): Scale {
  const means = candidates.flatMap(({ scores: { select, holdout } }) =>
    [select, holdout].filter((one) => one !== null),
  );
  return linearScale(means.length === 0 ? [0, 1] : means, 5);
}

interface PlotProps {
  drawn: readonly PromptCandidate[];
  open: (candidate: number) => void;
  scores: Scale;
  /** From 0 at the left to 1. */
  x: (candidate: PromptCandidate) => number;
  xTicks: readonly { at: number; words: string }[];
  name: string;
  hasHeldOut?: boolean;
  /** Whether lines lead from parents to children. */
  hasLines?: boolean;
}

function CandidatePlot({ drawn, open, scores, x, xTicks, name, hasHeldOut, hasLines }: PlotProps) {
  const { shown, propsOf, plotProps } = useMarks({
    count: drawn.length,
    open: (index) => open(drawn[index]!.candidate),
  });
  const xOf = (share: number): number => LEFT + 2 + share * (RIGHT - LEFT - 2);
  const yOf = (score: number | null): number =>
    score === null ? HEIGHT - 6 : MARGIN + (1 - scores.at(score)) * (HEIGHT - 2.5 * MARGIN);
  const at = (candidate: PromptCandidate) => ({ x: xOf(x(candidate)), y: yOf(candidate.scores.select) });
  const byNumber = new Map(drawn.map((one) => [one.candidate, one]));
  return (
    <div className={css.plot}>
      <div className="muted small">Score on selection cases</div>
      <Plot of={{ plotProps }}>
        <svg width="100%" height={HEIGHT + FOOT} role="group" aria-label={name}>
          <Grid ticks={scores.ticks} yOf={yOf} xTicks={xTicks.map((tick) => ({ ...tick, at: xOf(tick.at) }))} />
          {hasLines &&
            drawn.flatMap((child) =>
              child.parents
                .flatMap((number) => byNumber.get(number) ?? [])
                .map((parent) => (
                  <Edge key={`${parent.candidate} ${child.candidate}`} from={at(parent)} to={at(child)} />
                )),
            )}
          {drawn.map((candidate, index) => (
            <g key={candidate.candidate} className={css.mark} {...propsOf(index, wordsOf(candidate))}>
              <CandidateMark candidate={candidate} hasHeldOut={hasHeldOut === true} {...at(candidate)} />
              {hasHeldOut && candidate.scores.holdout !== null && (
                <HeldOut x={at(candidate).x} from={at(candidate).y} y={yOf(candidate.scores.holdout)} />
              )}
            </g>
          ))}
        </svg>
        {shown !== undefined && (
          <MarkCard at={[at(drawn[shown]!).x / 100, at(drawn[shown]!).y / (HEIGHT + FOOT)]}>
            <CandidateCard candidate={drawn[shown]!} />
          </MarkCard>
        )}
      </Plot>
      <div className={`muted small ${css.axis}`}>{name}</div>
    </div>
  );
}

interface Place {
  /** In percent. */
  x: number;
  y: number;
}

const wordsOf = (candidate: PromptCandidate): string =>
  [
    `Candidate ${candidate.candidate}, ${candidate.state}`,
    kindInWords(candidate),
    scoreInWords(candidate) ?? 'not measured',
    `${count(candidate.length)} characters`,
  ].join(', ');

interface GridProps {
  ticks: readonly number[];
  yOf: (score: number) => number;
  xTicks: readonly { at: number; words: string }[];
}

const Grid = ({ ticks, yOf, xTicks }: GridProps) => (
  <g aria-hidden="true">
    {ticks.map((tick) => (
      <g key={tick}>
        <line className={css.grid} x1="0" x2="100%" y1={yOf(tick)} y2={yOf(tick)} />
        <text x="0" y={yOf(tick) - 4}>
          {percent(tick).replace('.0', '')}
        </text>
      </g>
    ))}
    {xTicks.map(({ at, words }) => (
      <text key={`${words} ${at}`} x={`${at}%`} y={HEIGHT + 18} textAnchor="middle">
        {words}
      </text>
    ))}
  </g>
);

const Edge = ({ from, to }: { from: Place; to: Place }) => (
  <line className={css.edge} x1={`${from.x}%`} x2={`${to.x}%`} y1={from.y} y2={to.y} />
);

/** The best is filled and named, the base is named, what was rejected without a score is a cross. */
function CandidateMark({ candidate, x, y, hasHeldOut }: { candidate: PromptCandidate; hasHeldOut: boolean } & Place) {
  const { state, scores } = candidate;
  const isBest = state === 'best';
  const name = isBest ? 'best' : candidate.candidate === 0 ? 'base' : undefined;
  // The diamond may be above.
  const isBelow = hasHeldOut && (scores.holdout ?? 0) > (scores.select ?? 0);
  return (
    <>
      {scores.select === null ? (
        <text className={css.cross} x={`${x}%`} y={y + 4} textAnchor="middle">
          ×
        </text>
      ) : (
        <circle className={isBest ? css.best : css.other} cx={`${x}%`} cy={y} r={isBest ? 7 : 5} />
      )}
      {name !== undefined && (
        <text className={css.strong} x={`${x}%`} y={isBelow ? y + 22 : y - 11} textAnchor="middle">
          {name}
        </text>
      )}
    </>
  );
}

const HeldOut = ({ x, from, y }: { x: number; from: number; y: number }) => (
  <>
    <line className={css.edge} x1={`${x}%`} x2={`${x}%`} y1={from} y2={y} />
    <svg x={`${x}%`} y={y} overflow="visible">
      <path className={css.heldOut} d="M0,-6L6,0L0,6L-6,0Z" />
    </svg>
  </>
);

const CandidateCard = ({ candidate }: { candidate: PromptCandidate }) => (
  <>
    <strong>Candidate {candidate.candidate}</strong>, {candidate.state}
    <div>{scoreInWords(candidate) ?? 'not measured'}</div>
    <div className="muted">
      {kindInWords(candidate)}, {count(candidate.length)} characters
    </div>
    {(candidate.reason ?? candidate.why) !== null && (
      <div className="muted">
        <UserText text={(candidate.reason ?? candidate.why)!} max={160} />
      </div>
    )}
  </>
);
