import { readFileSync } from 'node:fs';
import { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import { checkCase } from '#lib/scoring/checks/check-case';
import { checkTools } from '#lib/scoring/checks/check-tools';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { createSimulator, type Simulator } from './server.js';

let simulator: Simulator;
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(() => simulator.close());

const read = (name: string) => parseJson(readFileSync(`examples/${name}.json`, 'utf8')) as any;

/** Mean overall score and share of passed cases of a model, with the default settings of a run. */
async function score(suite: any, model: string): Promise<{ overall: number; passed: number }> {
  const verdicts = await Promise.all(
    suite.test_cases.map(async (input: CaseInput) => {
      const scorer = prepareCase(input, suite.tools, suite.pass_threshold);
      const system = suite.system_prompt ? [{ role: 'system', content: suite.system_prompt }] : [];
      const messages = [...system, { role: 'user', content: input.prompt }];
      const body = {
        model,
        messages,
        tools: suite.tools,
        tool_choice: scorer.abstention ? 'auto' : 'required',
        temperature: 0,
      };
      const answer = await fetch(`${simulator.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return scorer.score(parseReply((parseJson(await answer.text()) as any).choices[0].message, suite.tools));
    }),
  );
  const mean = (value: (verdict: any) => number) =>
    verdicts.reduce((sum, verdict) => sum + value(verdict), 0) / verdicts.length;
  return { overall: mean((verdict) => verdict.overall), passed: mean((verdict) => Number(verdict.passed)) };
}

describe.each([
  ['weather', 20, 4],
  ['assistant', 40, 12],
])('the example suite %s', (name, cases, tools) => {
  it('is well-formed, and every case has a name, a category and tags', () => {
    const suite = read(name);
    expect(suite.test_cases.length).toBeGreaterThanOrEqual(cases);
    expect(suite.tools.length).toBeGreaterThanOrEqual(tools);
    expect(checkTools(suite.tools)).toEqual([]);
    for (const input of suite.test_cases) {
      expect(checkCase(CaseInput.parse(input), suite.tools)).toEqual([]);
      expect(input).toMatchObject({
        name: expect.any(String),
        category: expect.any(String),
        tags: expect.arrayContaining([expect.any(String)]),
      });
    }
  });

  it('produces a leaderboard: good but not perfect, careless, and wrong', async () => {
    const suite = read(name);
    const [good, careless, wrong] = [
      await score(suite, 'perfect-ish'),
      await score(suite, 'careless-arguments'),
      await score(suite, 'wrong-tool'),
    ];
    expect(good.overall).toBeGreaterThan(0.75);
    expect(good.overall).toBeLessThan(0.97);
    expect(careless.overall).toBeLessThan(good.overall - 0.05);
    expect(careless.passed).toBeLessThan(good.passed - 0.25);
    expect(wrong.overall).toBeLessThan(0.1);
  });
});
