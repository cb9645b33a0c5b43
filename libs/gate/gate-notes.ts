import { note, type Note } from '#lib/contracts/note';
import { points } from '#lib/comparison/points';
import type { GateRules, GateTarget } from './contract.js';

export interface UnguardedCases {
  /** Cases of the run with a critical tag. */
  critical: number;
  /** How many of them are not compared, because they changed or are new. */
  lost: number;
}

interface Noted {
  rules: Pick<GateRules, 'margin' | 'critical_tags'>;
  targets: readonly GateTarget[];
  unguarded: UnguardedCases;
  /** Models of the run. */
  models: readonly string[];
}

/** Caveats for reading a gate's answer, in addition to those of the comparison. */
export function notesOnGate({ rules, targets, unguarded, models }: Noted): Note[] {
  return [
    ...regressionNotes(targets, rules.margin),
    ...criticalNotes(rules, unguarded),
    ...modelNotes(targets, models),
  ];
}

function regressionNotes(targets: readonly GateTarget[], margin: number): Note[] {
  const worse = targets.filter(({ reason, ci }) => reason === 'not_worse' && ci![1] < 0);
  if (worse.length === 0) return [];
  const whom = targets.length === 1 ? '' : ` for ${worse.map(({ target }) => target).join(', ')}`;
  return [
    note(
      'small_regression',
      `A regression smaller than the margin of ${points(margin)} is shown${whom}. It passes, but several of them in ` +
        'a row add up: pin a fixed baseline.',
      { margin },
    ),
  ];
}

function criticalNotes({ critical_tags: tags }: Noted['rules'], { critical, lost }: UnguardedCases): Note[] {
  if (tags.length === 0) return [];
  if (critical === 0) return [note('no_critical_case', 'No case of the run has a critical tag of the gate.')];
  if (lost === 0) return [];
  return [
    note(
      'critical_cases_lost',
      `${lost} of ${critical} critical cases ${lost === 1 ? 'is' : 'are'} not compared, because the baseline does ` +
        'not have the same cases.',
      { lost, critical },
    ),
  ];
}

function modelNotes(targets: readonly GateTarget[], models: readonly string[]): Note[] {
  const measured = new Set(targets.map(({ target }) => target));
  const others = models.filter((name) => !measured.has(name));
  if (others.length === 0) return [];
  return [note('models_not_measured', `The gate does not measure ${others.join(', ')}, which the run also has.`)];
}
