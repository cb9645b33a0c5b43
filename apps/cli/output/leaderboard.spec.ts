import type { Run } from '#lib/contracts/run';
import { leaderboard } from './leaderboard.js';

const summary = (target: string, overall: number, tool_choice_used: Record<string, number>) => ({
  target,
  overall,
  overall_ci: null,
  passed: 1,
  scored: 1,
  errored: 0,
  tool_accuracy: 1,
  param_accuracy: 1,
  latency_ms: { p50: 5 },
  cost_usd: null,
  tool_choice_used,
});
const run = (...summaries: object[]) => ({ config: { tool_choice: 'required' }, summaries }) as unknown as Run;

describe('a leaderboard', () => {
  const mixed = run(
    summary('p::changed', 0.9, { required: 17, auto: 3 }),
    summary('p::asked', 1, { required: 20 }),
    summary('p::earlier', 0.5, {}),
  );

  test('marks models that ran with another tool_choice, with the number of results', () => {
    const [, first, second, third, ...rest] = leaderboard(mixed);
    expect([first, second, third].map((line) => line!.split(/ {2,}/)[1])).toEqual([
      'p::asked',
      'p::changed *',
      'p::earlier',
    ]);
    expect(rest).toEqual([
      '* p::changed ran with tool_choice "auto" in 3 of 20 results that expect a call, not "required".',
    ]);
  });

  test('has the figures of conversations below, which are asked with auto whatever the run says', () => {
    const metrics = {
      'conversation.calls': { mean: 0.5 },
      'conversation.recovered': { mean: null },
      'bfcl.ast': { mean: 1 },
    };
    const [header, first, ...rest] = leaderboard(run({ ...summary('p::talks', 0.5, { auto: 9 }), metrics }));
    expect([header, first].map((line) => line!.trim().split(/ {2,}/).at(-1))).toEqual(['bfcl.ast', '1.000']);
    expect(rest.map((line) => line.trim().split(/ {2,}/))).toEqual([
      [''],
      [expect.stringMatching(/^Conversations/)],
      ['model', 'calls', 'recovered'],
      ['p::talks', '0.500', '-'],
    ]);
  });

  test('counts replies that were cut off or refused, and calls that a host left in the text', () => {
    const figures = { scored: 500, error_counts: { cut_off: 412, refused: 3 }, syntax_counts: { hermes: 80 } };
    const { summaries } = run({ ...summary('p::cut', 0.1, {}), ...figures });
    expect(leaderboard({ summaries, config: { max_tokens: 1024 } as unknown as Run['config'] }).slice(2)).toEqual([
      '412 of 500 replies of p::cut were cut off at 1,024 tokens and score 0: raise max_tokens, or set it to null ' +
        'for no limit.',
      '3 of 500 replies of p::cut were refused by the model or cut by a filter, and score 0.',
      '80 of 500 replies of p::cut had calls left in the text in the syntax of Hermes: its host is set up for ' +
        'another model (tool-call parser).',
    ]);
  });

  const ofDemo = async (shown: Run): Promise<string> => {
    const demo = (await import(new URL('../../../scripts/demo.mjs', import.meta.url).href)) as {
      leaderboard(run: Run, colours: boolean): string;
    };
    return demo.leaderboard(shown, false);
  };
  test('of the first start has the same notes', async () => {
    const lines = (await ofDemo(mixed)).split('\n');
    expect(lines.filter((line) => line.includes('*')).map((line) => line.trim())).toEqual([
      expect.stringMatching(/^2 +p::changed \* /),
      '* asked with another tool_choice than "required"',
    ]);
  });

  test('explains its interval, including runs of earlier releases', async () => {
    const summaries = mixed.summaries.map((one) => ({ ...one, overall_ci: [0.8, 1] as [number, number] }));
    const noteOf = (ci_method?: 'bootstrap' | 't_pseudo_cases') =>
      leaderboard({ ...mixed, summaries: summaries.map((one) => ({ ...one, ci_method: ci_method! })) }).filter((line) =>
        line.startsWith('95 %'),
      );
    expect(noteOf('t_pseudo_cases')).toEqual([expect.stringContaining('two pseudo-cases')]);
    expect(noteOf('bootstrap')).toEqual([expect.stringContaining('bootstrap')]);
    expect(noteOf(undefined)).toEqual(noteOf('bootstrap'));
    expect(await ofDemo(mixed)).toContain('two pseudo-cases');
  });

  test('has no marks if all requests used the tool_choice of the run', async () => {
    const same = run(summary('p::asked', 1, { required: 20 }));
    expect(leaderboard(same)).toHaveLength(2);
    expect(await ofDemo(same)).not.toContain('*');
  });
});
