import { tQuantile } from '#lib/scoring/statistics/distributions';
import { smallestDetectable } from '#lib/scoring/statistics/paired';
import { alphaOfLook } from './alpha.js';
import type { GateRules } from './contract.js';
import type { GateSensitivity } from '#lib/contracts/gate-outlook';

/** The share of cases that a model answers right half of the time. The others always come out alike. */
const FLAKY = 0.2;
/** More cases than any suite has. */
const MAX_CASES = 1_000_000;

/**
 * What a gate can show with a number of cases, before anything is run. The standard error is that of `pairedInterval`
 * for two equal systems in which one case in five passes half of the time: at one sample, one case in ten differs.
 * @param samples of each case at the last look
 */
export function sensitivityOf(
  cases: number,
  samples: number,
  { margin, looks }: Pick<GateRules, 'margin' | 'looks'>,
): GateSensitivity {
  const alpha = alphaOfLook(looks);
  const found = { smallest_loss: lossOf(cases, samples, alpha), smallest_margin: marginOf(cases, alpha) };
  const canPass = margin === 0 || margin > found.smallest_margin;
  const isEnough = canPass && (margin === 0 || margin >= found.smallest_loss);
  return {
    cases,
    samples,
    ...found,
    can_pass: canPass,
    cases_needed: isEnough ? null : casesFor(margin, samples, alpha),
  };
}

/** Half of the paired interval of as many equal cases, which has the pseudo-cases alone. */
function marginOf(cases: number, alpha: number): number {
  const all = cases + 2;
  return Math.min(1, tQuantile(1 - alpha / 2, all - 1) * Math.sqrt(2 / (all - 1) / all));
}

function lossOf(cases: number, samples: number, alpha: number): number {
  const squares = (cases * FLAKY * 0.5) / samples;
  const others = cases * FLAKY * (1 - chanceOfEqual(samples));
  const pseudo = (1 + squares) / (1 + others);
  const all = cases + 2;
  const se = Math.sqrt((squares + 2 * pseudo) / (all - 1) / all);
  return Math.min(1, smallestDetectable({ se, df: all - 1, alpha }));
}

/** The chance that two systems pass equally many of the samples of a case which each passes half of the time. */
function chanceOfEqual(samples: number): number {
  let chance = 1;
  for (let sample = 1; sample <= samples; sample++) chance *= (2 * sample - 1) / (2 * sample);
  return chance;
}

/** The smallest number of cases whose loss and margin are within this one. */
function casesFor(margin: number, samples: number, alpha: number): number | null {
  const suffices = (cases: number): boolean =>
    marginOf(cases, alpha) < margin && lossOf(cases, samples, alpha) <= margin;
  if (!suffices(MAX_CASES)) return null;
  let [few, enough] = [0, MAX_CASES];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (suffices(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}
