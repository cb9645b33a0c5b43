import type { SettledItem } from '#lib/contracts/summary';
import { SummaryBuilder } from './summarise.js';

const item = (case_position: number, passed: boolean, more: Partial<SettledItem> = {}): SettledItem => ({
  case_position,
  category: null,
  outcome: 'scored',
  passed,
  tool_score: Number(passed),
  param_score: null,
  overall: Number(passed),
  error_type: passed ? 'none' : 'wrong_tool',
  error_kind: null,
  format_compliance: 'native',
  abstention: false,
  latency_ms: 10,
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: null,
  cached: false,
  tool_choice_used: 'required',
  ...more,
});
const errored = (case_position: number): SettledItem =>
  item(case_position, false, {
    outcome: 'errored',
    tool_score: null,
    overall: null,
    error_type: 'errored',
    error_kind: 'timeout',
    format_compliance: null,
  });
function summaryOf(items: SettledItem[]) {
  const summary = new SummaryBuilder();
  for (const one of items) summary.add(one);
  return summary.finish();
}

it('a category has the figures of its conversations, of the results that have them', () => {
  const played = (state: number | null, category: string): SettledItem =>
    item(0, true, { category, metrics: { 'conversation.state': state, 'conversation.answer': null, bfcl_ast: 1 } });
  const { by_category } = summaryOf([played(1, 'a'), played(0.5, 'a'), played(null, 'a'), played(null, 'b')]);
  expect(by_category.a!.figures).toEqual({ 'conversation.state': 0.75 });
  expect(by_category.b).not.toHaveProperty('figures');
});

it('averages pass@k and pass^k over cases, up to the smallest number of scored samples of a case', () => {
  const { pass_at_k, pass_hat_k } = summaryOf([
    item(0, true),
    item(0, true),
    item(0, false), // 2 of 3
    item(1, false),
    item(1, true),
    errored(1), // 1 of 2
    errored(2),
  ]);
  expect(pass_at_k).toEqual([expect.closeTo((2 / 3 + 1 / 2) / 2), expect.closeTo(1)]);
  expect(pass_hat_k).toEqual([expect.closeTo((2 / 3 + 1 / 2) / 2), expect.closeTo((1 / 3 + 0) / 2)]);
});

const cases = (n: number, passed: number): SettledItem[] =>
  Array.from({ length: n }, (_, position) => item(position, position < passed));

it('clusters samples by case: 20 cases of 50 samples have the interval of 20 cases', () => {
  const repeated = cases(20, 10).flatMap((one) => Array.from({ length: 50 }, () => one));
  const once = summaryOf(cases(20, 10));
  const often = summaryOf(repeated);
  expect(often.overall_ci).toEqual(once.overall_ci);
  expect(often.pass_rate_ci).toEqual(once.overall_ci);
});

it('gives a model that failed every case an interval with a width, and names the method', () => {
  expect(summaryOf(cases(55, 0))).toMatchObject({
    overall: 0,
    overall_ci: [0, expect.closeTo(0.0527, 4)],
    pass_rate_ci: [0, expect.closeTo(0.0653, 4)], // Wilson's: each case has one sample
    ci_method: 't_pseudo_cases',
  });
});

it('gives each category the interval of its own cases', () => {
  const category = (name: string) => (one: SettledItem) => ({ ...one, category: name });
  const [first, second] = [cases(20, 19), cases(8, 0).map((one) => item(one.case_position + 20, false))];
  const of = (items: SettledItem[]) => summaryOf(items).overall_ci;
  const { by_category } = summaryOf([...first.map(category('a')), ...second.map(category('b')), errored(28)]);
  expect(by_category.a!.overall_ci).toEqual(of(first));
  expect(by_category.b!.overall_ci).toEqual(of(second));
  expect(summaryOf([{ ...errored(0), category: 'c' }]).by_category.c).toMatchObject({
    overall: null,
    overall_ci: null,
  });
});

it('averages each metric over the results to which it applies', () => {
  const { metrics } = summaryOf([
    item(0, true, { metrics: { bfcl_ast: 1 } }),
    item(1, true, { metrics: { bfcl_ast: 0 } }),
    item(2, true, { metrics: { bfcl_ast: null } }),
    errored(3),
  ]);
  expect(metrics).toEqual({ bfcl_ast: { mean: 0.5, ci: [0, 1], scored: 2, not_applicable: 1 } });
});

it('counts the tool_choice sent per result, if a call is expected', () => {
  const auto = { tool_choice_used: 'auto' };
  const { tool_choice_used } = summaryOf([
    item(0, true),
    item(1, false),
    item(2, true, auto),
    item(3, true, { ...auto, abstention: true }),
    { ...errored(4), ...auto },
    item(5, true, { tool_choice_used: null }),
  ]);
  expect(tool_choice_used).toEqual({ required: 2, auto: 1 });
});

it('has no mean and no interval if nothing was scored', () => {
  expect(summaryOf([errored(0)])).toMatchObject({
    scored: 0,
    errored: 1,
    overall: null,
    overall_ci: null,
    pass_rate: null,
    pass_rate_ci: null,
    pass_at_k: [],
    pass_hat_k: [],
  });
});
