import { MIN_COMMON_SHARE } from '#lib/contracts/values/comparison';
import type { Estimate } from '#lib/contracts/comparison';
import type { MatchedCases } from './match-cases.js';
import { pointsRange } from './points.js';
import type { ReplyCounts } from './side-totals.js';
import { passThresholdOf, type RunTreatment } from './what-changed.js';

type CaseCounts = Pick<MatchedCases, 'changed' | 'changedExpectations' | 'onlyA' | 'onlyB'> & {
  common: { length: number };
};

/** Caveats for reading a comparison, and remedies. */
export function notesOn(a: RunTreatment, b: RunTreatment, cases: CaseCounts): string[] {
  return [...caseNotes(a, b, cases), ...scoringNotes(a, b), ...requestNotes(a, b), ...sampleNotes(a, b)];
}

function caseNotes(a: RunTreatment, b: RunTreatment, cases: CaseCounts): string[] {
  const notes: string[] = [];
  const { length: common } = cases.common;
  if (a.suite.id !== b.suite.id) notes.push('The runs are of different suites. Cases of equal content are compared.');
  const [ofA, ofB] = [common + cases.changed + cases.onlyA, common + cases.changed + cases.onlyB];
  const larger = Math.max(ofA, ofB);
  if (common < MIN_COMMON_SHARE * larger)
    notes.push(
      `Only ${common} cases are the same in both runs, of ${larger} in the larger one. The figures cover only these.`,
    );
  const { changedExpectations: expecting } = cases;
  if (expecting > 0)
    notes.push(
      `${expecting === 1 ? '1 case asks the same and expects' : `${expecting} cases ask the same and expect`} ` +
        'something else now: rescore the baseline with the new expectations to compare them. A new run with its ' +
        'settings does that, and with "cache": "use" its stored replies answer what did not change.',
    );
  return notes;
}

function scoringNotes(a: RunTreatment, b: RunTreatment): string[] {
  const notes: string[] = [];
  const versions = [...new Set([...a.scoringVersions, ...b.scoringVersions])].sort((x, y) => x - y);
  if (versions.length > 1)
    notes.push(
      `The verdicts come from versions ${versions.join(' and ')} of the scoring, which may be part of the ` +
        'difference. Rescore both runs, and compare with rescore_a and rescore_b.',
    );
  const [fromA, fromB] = [passThresholdOf(a), passThresholdOf(b)];
  if (fromA !== fromB)
    notes.push(
      `Cases pass from ${fromA} in the baseline and from ${fromB} in the other run. Rescore one of them with the ` +
        '"pass_threshold" of the other, and compare with rescore_a or rescore_b.',
    );
  const rules = ({ rescore }: RunTreatment): string =>
    JSON.stringify([rescore?.param_scoring ?? null, rescore?.scoring_config ?? null]);
  if (rules(a) !== rules(b))
    notes.push(
      'Arguments were compared with different rules, which may be part of the difference. Rescore both runs with the ' +
        'same options, and compare with rescore_a and rescore_b.',
    );
  return notes;
}

const MAX_QUOTED = 3;

/** Notes that requests to models were sent differently, because of what the models refuse. */
function requestNotes({ sentOtherwise: a = [] }: RunTreatment, { sentOtherwise: b = [] }: RunTreatment): string[] {
  const only = (run: string, ours: readonly string[], others: readonly string[]): string[] => {
    const differing = ours.filter((one) => !others.includes(one));
    if (differing.length === 0) return [];
    const more = differing.length > MAX_QUOTED ? ` And ${differing.length - MAX_QUOTED} more.` : '';
    return [`In ${run} alone: ${differing.slice(0, MAX_QUOTED).join(' ')}${more}`];
  };
  const differences = [...only('the baseline', a, b), ...only('the other run', b, a)];
  if (differences.length === 0) return [];
  return [`Models were asked in different ways, which may be part of the difference. ${differences.join(' ')}`];
}

function sampleNotes({ config: a }: RunTreatment, { config: b }: RunTreatment): string[] {
  if (a.samples === b.samples) return [];
  const fewer = a.samples < b.samples ? 'the baseline' : 'the other run';
  return [
    `The runs have ${a.samples} and ${b.samples} samples of each case. That favours neither run, but more samples of ` +
      `${fewer} would make the interval narrower.`,
  ];
}

/** Notes that errored samples could overturn the verdict. */
export function noteOnErrors({ verdict, robust, bounds }: Estimate): string[] {
  if (robust || bounds === null || !['improved', 'regressed', 'same'].includes(verdict!)) return [];
  return [
    'Errored results could overturn the verdict: had they all been right or wrong, the difference would lie ' +
      `anywhere from ${pointsRange(bounds)} points. Resume the runs to repeat them.`,
  ];
}

/** @param listed the maximum number listed */
export const noteOnGroups = (what: string, count: number, listed: number): string[] =>
  count <= listed
    ? []
    : [
        `The ${listed} of ${count} ${what} with the most cases are listed. GET /api/compare/items lists the cases ` +
          'of all.',
      ];

const LOST = {
  cut_off: {
    was: 'cut off at the token limit',
    wayOut: 'Run both with a higher max_tokens, or with null for no limit.',
  },
  refused: {
    was: 'refused by the model or cut by a filter',
    wayOut: 'Read the results with error_type=refused on both sides before you trust the difference.',
  },
} as const;

/**
 * Notes that the sides differ in the share of replies that were cut off or refused: these score 0, so the difference
 * may be due to them rather than to the model's calls.
 */
export function notesOnReplies({ a, b }: { a: ReplyCounts; b: ReplyCounts }): string[] {
  return (['cut_off', 'refused'] as const).flatMap((type) => {
    if (a.scored === 0 || b.scored === 0 || a[type] * b.scored === b[type] * a.scored) return [];
    const { was, wayOut } = LOST[type];
    const of = (side: ReplyCounts): string => `${side[type]} of ${side.scored} replies`;
    return [
      `${of(a)} of the baseline and ${of(b)} of the other run were ${was}. They score 0 and do not say what the ` +
        `model would have called, which may be part of the difference. ${wayOut}`,
    ];
  });
}
