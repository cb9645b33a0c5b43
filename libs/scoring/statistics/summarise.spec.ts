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

it('takes samples of one case for what they are: the interval of the pass rate is as wide as that of its cases', () => {
  const widthOf = (items: SettledItem[]): number => {
    const [low, high] = summaryOf(items).pass_rate_ci!;
    return high - low;
  };
  const cases = Array.from({ length: 20 }, (_, position) => item(position, position % 2 === 0));
  const repeated = cases.flatMap((one) => Array.from({ length: 50 }, () => one));
  expect(widthOf(repeated)).toBeGreaterThan(0.8 * widthOf(cases));
});

it('averages each metric over the results that it applies to', () => {
  const { metrics } = summaryOf([
    item(0, true, { metrics: { bfcl_ast: 1 } }),
    item(1, true, { metrics: { bfcl_ast: 0 } }),
    item(2, true, { metrics: { bfcl_ast: null } }),
    errored(3),
  ]);
  expect(metrics).toEqual({ bfcl_ast: { mean: 0.5, ci: [0, 1], scored: 2, not_applicable: 1 } });
});

it('counts by which tool_choice results were asked for, where a call is expected', () => {
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

it('of nothing scored has no mean and no interval', () => {
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
