import { MIN_COMMON_SHARE } from '#lib/contracts/values/comparison';
import type { Estimate } from '#lib/contracts/comparison';
import { note, type Note } from '#lib/contracts/note';
import type { MatchedCases } from './match-cases.js';
import { pointsRange } from './points.js';
import type { ReplyCounts } from './side-totals.js';
import { passThresholdOf, type RunTreatment } from './what-changed.js';

type CaseCounts = Pick<MatchedCases, 'changed' | 'changedExpectations' | 'onlyA' | 'onlyB'> & {
  common: { length: number };
};

/** Caveats for reading a comparison, and remedies. */
export function notesOn(a: RunTreatment, b: RunTreatment, cases: CaseCounts): Note[] {
  return [...caseNotes(a, b, cases), ...scoringNotes(a, b), ...requestNotes(a, b), ...sampleNotes(a, b)];
}

function caseNotes(a: RunTreatment, b: RunTreatment, cases: CaseCounts): Note[] {
  const notes: Note[] = [];
  const { length: common } = cases.common;
  if (a.suite.id !== b.suite.id)
    notes.push(note('other_suites', 'The runs are of different suites. Cases of equal content are compared.'));
  const [ofA, ofB] = [common + cases.changed + cases.onlyA, common + cases.changed + cases.onlyB];
  const larger = Math.max(ofA, ofB);
  if (common < MIN_COMMON_SHARE * larger)
    notes.push(
      note(
        'few_common_cases',
        `Only ${common} of ${larger} ${larger === 1 ? 'case is' : 'cases are'} the same in both runs. The figures ` +
          'cover only these.',
        { common, larger },
      ),
    );
  const { changedExpectations: expecting } = cases;
  if (expecting > 0)
    notes.push(
      note(
        'expectations_changed',
        `${expecting === 1 ? '1 case asks the same and expects' : `${expecting} cases ask the same and expect`} ` +
          'something else now. To compare these too, run the baseline again with stored replies: only what changed ' +
          'is asked again.',
        { cases: expecting, run_id: a.id ?? null },
      ),
    );
  return notes;
}

function scoringNotes(a: RunTreatment, b: RunTreatment): Note[] {
  const notes: Note[] = [];
  const versions = [...new Set([...a.scoringVersions, ...b.scoringVersions])].sort((x, y) => x - y);
  if (versions.length > 1)
    notes.push(
      note(
        'scoring_versions',
        `The verdicts come from versions ${versions.join(' and ')} of the scoring, which may be part of the ` +
          'difference. Rescore both runs and compare the rescored verdicts.',
        { versions: versions.join(', '), a: a.id ?? null, b: b.id ?? null },
      ),
    );
  const [fromA, fromB] = [passThresholdOf(a), passThresholdOf(b)];
  if (fromA !== fromB)
    notes.push(
      note(
        'pass_thresholds',
        `Cases pass from ${fromA} in the baseline and from ${fromB} in the other run. Rescore one of them with the ` +
          'threshold of the other.',
        { a: fromA, b: fromB },
      ),
    );
  const rules = ({ rescore }: RunTreatment): string =>
    JSON.stringify([rescore?.param_scoring ?? null, rescore?.scoring_config ?? null]);
  if (rules(a) !== rules(b))
    notes.push(
      note(
        'argument_rules',
        'Arguments were compared with different rules, which may be part of the difference. Rescore both runs with ' +
          'the same options.',
      ),
    );
  return notes;
}

const MAX_QUOTED = 3;

/** Notes that requests to models were sent differently, because of what the models refuse. */
function requestNotes({ sentOtherwise: a = [] }: RunTreatment, { sentOtherwise: b = [] }: RunTreatment): Note[] {
  const only = (run: string, ours: readonly string[], others: readonly string[]): string[] => {
    const differing = ours.filter((one) => !others.includes(one));
    if (differing.length === 0) return [];
    const more = differing.length > MAX_QUOTED ? ` And ${differing.length - MAX_QUOTED} more.` : '';
    return [`In ${run} alone: ${differing.slice(0, MAX_QUOTED).join(' ')}${more}`];
  };
  const differences = [...only('the baseline', a, b), ...only('the other run', b, a)];
  if (differences.length === 0) return [];
  return [
    note(
      'requests_differ',
      `Models were asked in different ways, which may be part of the difference. ${differences.join(' ')}`,
    ),
  ];
}

function sampleNotes(baseline: RunTreatment, other: RunTreatment): Note[] {
  const [a, b] = [baseline.config.samples, other.config.samples];
  if (a === b) return [];
  const [fewer, run] = a < b ? ['the baseline', baseline] : ['the other run', other];
  return [
    note(
      'samples_differ',
      `The runs have ${a} and ${b} samples of each case. That favours neither run, but more samples of ${fewer} ` +
        'would make the interval narrower.',
      { a, b, run_id: run.id ?? null },
    ),
  ];
}

/** Notes that errored samples could overturn the verdict. */
export function noteOnErrors({ verdict, robust, bounds }: Estimate, runs: { a: string; b: string }): Note[] {
  if (robust || bounds === null || !['improved', 'regressed', 'same'].includes(verdict!)) return [];
  return [
    note(
      'errors_could_overturn',
      'Errored results could overturn the verdict: had they all been right or wrong, the difference would lie ' +
        `anywhere from ${pointsRange(bounds)} points. Resume the runs to repeat them.`,
      runs,
    ),
  ];
}

/** @param listed the maximum number listed */
export const noteOnGroups = (what: string, count: number, listed: number): Note[] =>
  count <= listed
    ? []
    : [note('groups_cut', `The ${listed} of ${count} ${what} with the most cases are listed.`, { listed, count })];

const LOST = {
  cut_off: {
    was: 'cut off at the token limit',
    wayOut: 'Run both with a higher token limit, or with none.',
  },
  refused: {
    was: 'refused by the model or cut by a filter',
    wayOut: 'Read the refused results on both sides before you trust the difference.',
  },
} as const;

/**
 * Notes that the sides differ in the share of replies that were cut off or refused: these score 0, so the difference
 * may be due to them rather than to the model's calls.
 */
export function notesOnReplies({ a, b }: { a: ReplyCounts; b: ReplyCounts }): Note[] {
  return (['cut_off', 'refused'] as const).flatMap((type) => {
    if (a.scored === 0 || b.scored === 0 || a[type] * b.scored === b[type] * a.scored) return [];
    const { was, wayOut } = LOST[type];
    const of = (side: ReplyCounts): string => `${side[type]} of ${side.scored} replies`;
    return [
      note(
        'replies_lost',
        `${of(a)} of the baseline and ${of(b)} of the other run were ${was}. They score 0 and do not say what the ` +
          `model would have called, which may be part of the difference. ${wayOut}`,
        { type, a: a[type], b: b[type] },
      ),
    ];
  });
}
