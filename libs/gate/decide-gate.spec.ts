import type { GateReason, GateResult } from './contract.js';
import { alphaOfLook } from './alpha.js';
import { decideGate, decideTarget, resultOf, type GateEvidence, type GateLevel } from './decide-gate.js';

/** Shown to be neither worse nor non-inferior. */
const undecided: GateEvidence = {
  common: 100,
  n_cases: 100,
  errored_shares: [0, 0],
  critical: [],
  drift: [],
  floors: [],
  ci: [-0.05, 0.03],
  p_holm: 0.6,
};
const rules: GateLevel = { margin: 0.02, floor: null, max_errored_share: 0.05, alpha: 0.05 };
const floor = (minimum: number, ci: [number, number] | null = [0.8, 0.95]) => ({
  floors: [{ name: 'pass_rate', minimum, mean: 0.9, ci }],
});
const [sure, unsure] = [{ confirmed: true }, { confirmed: false }];

it.each<[string, GateReason, Partial<GateEvidence>, Partial<GateLevel>]>([
  ['nothing scored', 'nothing_scored', { n_cases: 0, ci: null, p_holm: null, errored_shares: [0, 1] }, {}],
  ['no common case', 'too_few_cases', { common: 0, n_cases: 0, ci: null, p_holm: null }, {}],
  ['4 cases', 'too_few_cases', { common: 100, n_cases: 4, ci: [-0.01, 0.01] }, {}],
  ['5 cases', 'not_worse', { common: 5, n_cases: 5, ci: [-0.01, 0.01] }, {}],
  ['too many errors in the baseline', 'errored', { errored_shares: [0.051, 0], ci: [0.1, 0.2] }, {}],
  ['too many errors in the run', 'errored', { errored_shares: [0, 0.051], critical: [sure] }, {}],
  ['as many errors as allowed', 'not_worse', { errored_shares: [0.05, 0.05], ci: [0, 0.1] }, {}],
  ['any error where none is allowed', 'errored', { errored_shares: [0, 0.001] }, { max_errored_share: 0 }],
  ['added samples of another day', 'drifted', { drift: [{}], critical: [sure], ci: [0, 0.1] }, {}],
  ['a critical case that broke', 'critical', { critical: [unsure, sure], ci: [0, 0.1], ...floor(0.99) }, {}],
  [
    'a critical case that may have broken',
    'critical_unconfirmed',
    { critical: [unsure], ci: [0, 0.1], ...floor(0.99) },
    {},
  ],
  ['a rate below the floor', 'floor', { ci: [0, 0.1], ...floor(0.951) }, {}],
  ['a rate whose interval ends at the floor', 'floor_undecided', { ci: [0, 0.1], ...floor(0.95) }, {}],
  ['a floor within the interval', 'floor_undecided', { ci: [-0.9, -0.5], p_holm: 0, ...floor(0.81) }, {}],
  ['a reached floor', 'not_worse', { ci: [0, 0.1], ...floor(0.8) }, {}],
  ['a floor of 0', 'not_worse', { ci: [0, 0.1], ...floor(0, [0, 0.1]) }, {}],
  ['a floor of 1 and no failure', 'floor_undecided', { ...floor(1, [0.9, 1 - 1e-16]) }, {}],
  ['a floor of what applies to no case', 'floor_undecided', { ci: [0, 0.1], ...floor(0.1, null) }, {}],
  ['above the margin', 'not_worse', { ci: [-0.0199, 0.1] }, {}],
  ['at the margin', 'undecided', { ci: [-0.02, 0.1] }, {}],
  ['a regression within the margin', 'not_worse', { ci: [-0.019, -0.001], p_holm: 0.001 }, {}],
  ['a regression that may exceed it', 'regressed', { ci: [-0.021, -0.001], p_holm: 0.001 }, {}],
  ['an interval that ends at 0', 'undecided', { ci: [-0.1, 0], p_holm: 0.05 }, {}],
  ['a regression that may be chance among others', 'undecided', { ci: [-0.1, -0.01], p_holm: 0.05 }, {}],
  ['a regression at the level of its looks', 'undecided', { ci: [-0.1, -0.01], p_holm: 0.03 }, { alpha: 0.016 }],
  ['no difference with a margin of 0', 'undecided', { ci: [0, 0.1] }, { margin: 0 }],
  ['an improvement with a margin of 0', 'not_worse', { ci: [0.001, 0.1] }, { margin: 0 }],
  ['neither', 'undecided', {}, {}],
])('%s: %s', (_, reason, evidence, level) => {
  expect(decideTarget({ ...undecided, ...evidence }, { ...rules, ...level })).toBe(reason);
});

it.each<[GateReason, GateResult]>([
  ['no_baseline', 'not_measured'],
  ['unfinished', 'not_measured'],
  ['not_in_run', 'not_measured'],
  ['nothing_scored', 'not_measured'],
  ['too_few_cases', 'not_measured'],
  ['errored', 'not_measured'],
  ['drifted', 'not_measured'],
  ['critical', 'fail'],
  ['critical_unconfirmed', 'inconclusive'],
  ['floor', 'fail'],
  ['floor_undecided', 'inconclusive'],
  ['not_worse', 'pass'],
  ['regressed', 'fail'],
  ['undecided', 'inconclusive'],
])('%s is %s', (reason, result) => expect(resultOf(reason)).toBe(result));

it.each<[GateResult, GateResult[]]>([
  ['pass', ['pass', 'pass']],
  ['fail', ['pass', 'fail', 'not_measured', 'inconclusive']],
  ['not_measured', ['pass', 'inconclusive', 'not_measured']],
  ['inconclusive', ['pass', 'inconclusive']],
  ['not_measured', []],
])('is %s over %j', (result, targets) => expect(decideGate(targets)).toBe(result));

it('holds each look to a level that makes all looks together 5 %', () => {
  expect([1, 2, 3, 4].map(alphaOfLook)).toEqual([0.05, 0.0294, 0.0209, 0.016]);
  expect(() => alphaOfLook(5)).toThrow('A gate has 1 to 4 looks, not 5.');
});
