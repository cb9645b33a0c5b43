import { LABELS } from '#lib/contracts/values/judging';
import type { LabelName } from '#lib/contracts/label';
import { normalQuantile } from '#lib/scoring/statistics/distributions';
import { wilson } from '#lib/scoring/statistics/proportions';
import { MIN_LABELS, type Calibration, type CalibrationHead } from './contract.js';
import { isOk } from './conclude.js';

/** Results of one report that were drawn for labelling and share the same verdict and label. */
export interface DrawnResults {
  reportId: string;
  /** The judge's verdict. */
  judged: LabelName;
  /** The label given by people; null while there is none. */
  label: LabelName | null;
  /** The probability of the draw among the report's results that the judge finds ok, or wrong. */
  probability: number;
  results: number;
}

/** How well a judge agrees with human labels. */
export type CalibrationFigures = CalibrationHead & Pick<Calibration, 'linear' | 'ok' | 'wrong' | 'table'>;

/**
 * A judge is `weak` while the interval of its kappa starts below the first, and `good` once it starts above the second.
 */
const USABLE_FROM = 0.4;
const GOOD_FROM = 0.6;
const Z = normalQuantile(0.975);

/** Compares a judge with human labels. */
export function calibrate(drawn: readonly DrawnResults[]): CalibrationFigures {
  const labelled = weigh(drawn);
  const labels = countOf(labelled);
  const wrong = countOf(labelled.filter(({ label }) => !isOk(label)));
  const rarer = wrong < labels - wrong ? { kind: 'wrong', labels: wrong } : { kind: 'ok', labels: labels - wrong };
  const { kappa, ci } = agreement(labelled, (a, b) => Number(isOk(a) !== isOk(b)));
  const status = statusOf(labels, rarer.labels, ci);
  return {
    status,
    labels,
    kappa,
    ci,
    text: describeCalibration({ status, labels, rarer, kappa, ci }),
    linear: agreement(labelled, (a, b) => Math.abs(LABELS.indexOf(a) - LABELS.indexOf(b)) / 2),
    ok: confirmed(labelled.filter(({ judged }) => isOk(judged))),
    wrong: confirmed(labelled.filter(({ judged }) => !isOk(judged))),
    table: LABELS.flatMap((judged) =>
      LABELS.flatMap((label) => {
        const n = countOf(labelled.filter((one) => one.judged === judged && one.label === label));
        return n === 0 ? [] : { judged, label, n };
      }),
    ),
  };
}

/** @param ci the interval of kappa */
function statusOf(labels: number, rarer: number, ci: CalibrationHead['ci']): CalibrationHead['status'] {
  if (!ci || labels < MIN_LABELS.all || rarer < MIN_LABELS.rarer) return 'uncalibrated';
  if (ci[0] < USABLE_FROM) return 'weak';
  return ci[0] < GOOD_FROM ? 'usable' : 'good';
}

/**
 * A sentence to show next to every figure of the judge.
 * @param rarer the less frequent label, ok or wrong
 */
function describeCalibration({
  status,
  labels,
  rarer,
  kappa,
  ci,
}: Omit<CalibrationHead, 'text'> & { rarer: { kind: string; labels: number } }): string {
  if (status !== 'uncalibrated' && kappa !== null && ci !== null) {
    const name = status[0]!.toUpperCase() + status.slice(1);
    return `${name}: kappa ${digits(kappa)} (${digits(ci[0])} to ${digits(ci[1])}) against ${labels} human labels.`;
  }
  const have =
    labels < MIN_LABELS.all
      ? `${labels} of ${MIN_LABELS.asked} labels, usable from ${MIN_LABELS.all}`
      : `only ${rarer.labels} of ${labels} labels say ${rarer.kind}, and ${MIN_LABELS.rarer} are needed`;
  return `Uncalibrated: ${have}; people have not confirmed this judge.`;
}

/** Two decimals, without the sign of a number that rounds to zero. */
const digits = (value: number): string => (Math.round(value * 100) / 100 || 0).toFixed(2);

/** Labelled results, each of which represents `weight` judged results. */
interface Labelled {
  judged: LabelName;
  label: LabelName;
  results: number;
  weight: number;
}

/**
 * Labelled results represent all results of their report that the judge finds ok, or wrong, according to the
 * probability of the draw. Reports without labels are represented by the labelled results of the other reports with the
 * same verdict, so that ok and wrong have the weight that the judge gives them.
 */
function weigh(drawn: readonly DrawnResults[]): Labelled[] {
  return [true, false].flatMap((ok) => {
    const alike = drawn.filter(({ judged }) => isOk(judged) === ok);
    const reports = groupBy(alike, ({ reportId }) => reportId).map((group) => ({
      judged: sumOf(group, ({ results, probability }) => results / probability),
      labelled: group.filter(isLabelled),
    }));
    const spoken = reports.filter(({ labelled }) => labelled.length > 0);
    const all = sumOf(reports, ({ judged }) => judged) / sumOf(spoken, ({ judged }) => judged);
    return spoken.flatMap(({ judged, labelled }) => {
      const weight = (all * judged) / countOf(labelled);
      return labelled.map((one) => ({ judged: one.judged, label: one.label, results: one.results, weight }));
    });
  });
}

const isLabelled = (drawn: DrawnResults): drawn is DrawnResults & { label: LabelName } => drawn.label !== null;

/**
 * Cohen's kappa between a judge and people, with the simple large-sample interval, clipped to -1..1. The number of
 * labels is Kish's effective sample size, which decreases as the weights vary more.
 * @param distance of two levels, 0..1
 */
function agreement(
  labelled: readonly Labelled[],
  distance: (judged: LabelName, label: LabelName) => number,
): Calibration['linear'] {
  const mass = sumOf(labelled, massOf);
  const shareOf = (which: (one: Labelled) => boolean): number => sumOf(labelled.filter(which), massOf) / mass;
  const judged = LABELS.map((level) => shareOf((one) => one.judged === level));
  const label = LABELS.map((level) => shareOf((one) => one.label === level));
  const byChance = sumOf(LABELS.entries(), ([i, a]) =>
    sumOf(LABELS.entries(), ([j, b]) => distance(a, b) * judged[i]! * label[j]!),
  );
  if (!(byChance > 0)) return { kappa: null, ci: null };
  const mean = (power: number): number =>
    sumOf(labelled, (one) => (massOf(one) / mass) * distance(one.judged, one.label) ** power);
  const observed = mean(1);
  const spread = Math.max(0, mean(2) - observed ** 2); // for values of 0 and 1, this is po (1 - po)
  const half = (Z * Math.sqrt(spread / effectiveCount(labelled))) / byChance;
  const kappa = 1 - observed / byChance;
  return { kappa, ci: [Math.max(-1, kappa - half), Math.min(1, kappa + half)] };
}

/** The share of the judge's verdicts, ok or wrong, that people confirm. */
function confirmed(labelled: readonly Labelled[]): Calibration['ok'] {
  const n = countOf(labelled);
  if (n === 0) return { n, share: null, ci: null };
  const agreed = labelled.filter(({ judged, label }) => isOk(judged) === isOk(label));
  const share = sumOf(agreed, massOf) / sumOf(labelled, massOf);
  const effective = effectiveCount(labelled);
  return { n, share, ci: wilson(share * effective, effective) };
}

const massOf = ({ results, weight }: Labelled): number => results * weight;
const countOf = (rows: readonly { results: number }[]): number => sumOf(rows, ({ results }) => results);

/** Kish's effective sample size (1965): the number of equally weighted labels with the same information. */
const effectiveCount = (labelled: readonly Labelled[]): number =>
  sumOf(labelled, massOf) ** 2 / sumOf(labelled, ({ results, weight }) => results * weight ** 2);

function sumOf<Row>(rows: Iterable<Row>, value: (row: Row) => number): number {
  let sum = 0;
  for (const row of rows) sum += value(row);
  return sum;
}

function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return [...groups.values()];
}
