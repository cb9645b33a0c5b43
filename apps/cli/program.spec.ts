import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ApiClient } from '#lib/client/api-client';
import { CompareQuery } from '#lib/contracts/comparison';
import { ExperimentInput } from '#lib/contracts/experiment';
import { GateInput, GateRunConfig, GateUpdate } from '#lib/gate/contract';
import { ParamTuneInput } from '#lib/param-tune/contract';
import { PromptTuneInput } from '#lib/prompt-tune/contract';
import { JudgeInput, JudgeSetting } from '#lib/judge/contract';
import { RunInput } from '#lib/contracts/run-input';
import { jsonObject } from './command.js';
import { completionsOf } from './completion.js';
import { judgeInput, type JudgeSettings } from './commands/judge-settings.js';
import { configOf, runInput, type RunSettings } from './commands/run-settings.js';
import { promptTuneInput, tuneInput, type PromptTuneSettings, type TuneSettings } from './commands/tune-settings.js';
import { EXIT_CODES } from './exit-codes.js';
import { commandOf as nameOf, createProgram, FILES, withJsonFile } from './program.js';

const program = await createProgram('0');
const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)]);
const commands = below(program).filter((command) => command.name() !== 'complete');
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
const commandOf = (path: string): Command => commands.find((command) => pathOf(command) === path)!;

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

it('every setting of an experiment, and every setting of a comparison, has an option', () => {
  const optionsOf = (path: string) => commandOf(path).options.map((option) => option.attributeName());
  const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const { suite_id: _suite, name: _name, baseline_eval_id: _baseline, ...settings } = ExperimentInput.shape;
  expect(optionsOf('experiments create')).toEqual(
    expect.arrayContaining([...Object.keys(settings).map(camel), 'suite', 'baseline']),
  );
  // The client itself waits for slow answers.
  const { a: _a, b: _b, runs: _runs, wait: _wait, ...query } = CompareQuery.shape;
  expect(optionsOf('compare')).toEqual(expect.arrayContaining(Object.keys(query).map(camel)));
  expect(optionsOf('experiments run-best')).toEqual(
    expect.arrayContaining(['models', 'samples', 'maxRequests', 'maxCostUsd']),
  );
});

it('--json takes a file only after gate', () => {
  const read = (line: string) => withJsonFile(line.split(' ')).join(' ');
  expect(read('gate main --json out.json')).toBe('gate main --json-file out.json');
  expect(read('--server gate --token x gate main --eval x --json a')).toMatch(/--json-file a$/);
  for (const line of ['gate main --json', 'gate main --json --watch', '--json gate main', 'gates show --json main'])
    expect(read(line)).toBe(line);
  expect(read('show --server gate --json abc1')).toBe('show --server gate --json abc1');
});

it('each command loads only the file that adds it', async () => {
  for (const names of Object.values(FILES).flatMap(Object.keys))
    for (const name of names.split(' ')) {
      const line = ['--server', 'show', '--json', name, 'jobs', '--token', 'x'];
      const { commands: loaded } = await createProgram('0', nameOf(line));
      const visible = loaded.map((command) => command.name()).filter((one) => one !== 'complete');
      expect(visible.join(' ')).toBe(names);
    }
  for (const line of ['', 'complete -- run', 'help run', 'jbos', '--help run', '--json -h run'])
    expect((await createProgram('0', nameOf(line.split(' ').filter(Boolean)))).commands).toHaveLength(
      program.commands.length,
    );
});

it('every rule of a gate has an option', () => {
  const optionsOf = (path: string) => commandOf(path).options.map((option) => option.attributeName());
  const named = { critical_tags: 'criticalTag', baseline: 'baselineOf', suite_id: 'suite' } as Record<string, string>;
  const camel = (name: string) => named[name] ?? name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const { name: _name, ...rules } = GateInput.shape;
  expect(optionsOf('gates create')).toEqual(expect.arrayContaining([...Object.keys(rules).map(camel), 'baseline']));
  expect(optionsOf('gates update')).toEqual(expect.arrayContaining(Object.keys(GateUpdate.shape).map(camel)));
});

it('a gate run takes the settings of a run, and omits those that are not given', () => {
  expect(Object.keys(configOf({})).sort()).toEqual(Object.keys(GateRunConfig.shape).sort());
  expect(GateRunConfig.parse(configOf({}))).toEqual({});
  expect(GateRunConfig.parse(configOf({ models: ['p::a'], temperature: 0, systemPrompt: '' }))).toEqual({
    models: ['p::a'],
    temperature: 0,
    system_prompt: '',
  });
});

it('--max-tokens none removes the limit, even if the baseline has one', () => {
  const gate = commandOf('gate');
  gate.parseOptions(['--max-tokens', 'none']);
  expect(GateRunConfig.parse(configOf(gate.opts()))).toEqual({ max_tokens: null });
});

it('every setting of a run has an option', async () => {
  const run = commandOf('run');
  run.parseOptions([
    ...['--models', 'p::a,p::b', '--model-params', 'p::b={"top_p": 0.5}', '--params', '{"top_k": 1}', '--seed', '7'],
    ...['--samples', '3', '--temperature', '0.5', '--tool-choice', 'auto', '--max-tokens', '9', '--timeout', '2.5'],
    ...['--system-prompt', 'all', '--system-prompt-for', 'p::b=one', '--metric', 'm', '--metric', '{"id": "n"}'],
    ...['--tag', 'x', '--tag', 'y', '--category', 'c', '--model-order', 'parallel', '--cache', 'refresh'],
    ...['--prompt-cache', '1h'],
    ...['--max-requests', '10', '--max-cost-usd', '0.5', '--base-prompt', '', '--prompt-version', 'production'],
    ...['--tool-override', 'tools/f/description=a=b', '--tool-override', 'tools/g/description='],
    ...['--judge', 'p::j', '--judge-when', 'inline', '--judge-below', '0'],
  ]);
  const server = new ApiClient('http://127.0.0.1:9', ''); // Only asked for the name of an experiment.
  const input = await runInput(server, '019aa8a2-5c1e-7000-8000-000000000011', run.opts<RunSettings>());
  expect(Object.keys(input).sort()).toEqual(Object.keys(RunInput.shape).sort());
  expect(RunInput.parse(input)).toEqual({
    suite_id: '019aa8a2-5c1e-7000-8000-000000000011',
    models: ['p::a', { provider_key: 'p', model_id: 'b', params: { top_p: 0.5 } }],
    samples: 3,
    temperature: 0.5,
    tool_choice: 'auto',
    max_tokens: 9,
    timeout_s: 2.5,
    params: { top_k: 1, seed: 7 },
    system_prompt: { '*': 'all', 'p::b': 'one' },
    base_prompt: '',
    tool_overrides: { 'tools/f/description': 'a=b', 'tools/g/description': '' },
    prompt_version_id: 'production',
    metrics: ['m', { id: 'n', options: {} }],
    case_filter: { tags: ['x', 'y'], category: 'c' },
    model_order: 'parallel',
    cache: 'refresh',
    prompt_cache: '1h',
    budget: { max_requests: 10, max_cost_usd: 0.5 },
    experiment_id: null,
    judge: { judge: 'p::j', when: 'inline', below: 0 },
  });
});

it('any judge option has a run judged, by the default judge of the team if no model is given', async () => {
  const server = new ApiClient('http://127.0.0.1:9', ''); // Only asked for the name of an experiment.
  const judgeOf = async (more: Partial<RunSettings>) =>
    RunInput.parse(await runInput(server, 'suite', { models: ['p::a'], ...more })).judge;
  expect(await judgeOf({})).toBeUndefined();
  expect(await judgeOf({ judge: 'p::j' })).toEqual({ judge: 'p::j', when: 'after', below: 1 });
  expect(await judgeOf({ judgeWhen: 'after' })).toEqual({ judge: null, when: 'after', below: 1 });
  expect(await judgeOf({ judgeBelow: 0 })).toEqual({ judge: null, when: 'after', below: 0 });
});

describe('a parameter tune', () => {
  const server = new ApiClient('http://127.0.0.1:9', ''); // Only asked for names.
  const suiteId = '019aa8a2-5c1e-7000-8000-000000000011';
  const inputOf = async (...args: string[]) => {
    const params = (await createProgram('0')).commands
      .find((one) => one.name() === 'tune')!
      .commands.find((one) => one.name() === 'params')!;
    params.parseOptions(['--models', 'p::a,p::b', ...args]);
    return tuneInput(server, suiteId, params.opts<TuneSettings>());
  };

  it('has an option for every setting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolmark-tune-'));
    const file = join(folder, 'space.json');
    writeFileSync(
      file,
      '{"search_space": {"temperature": 1, "n": [5.0]}, "per_model_search_spaces": {"p::b": {"top_k": [1]}}}',
    );
    writeFileSync(join(folder, 'prompt.txt'), 'Be brief.');
    const input = await inputOf(
      ...['--name', 'Colder is better', '--space', 'temperature=0..1/0.5', '--space', 'top_p=0.5,1'],
      ...['--space-file', file, '--mode', 'random'],
      ...['--trials', '5', '--base-temperature', '0.5', '--base-tool-choice', 'auto', '--base-max-tokens', '9'],
      ...['--base-params', '{"top_k": 1}', '--base-system-prompt', `@${join(folder, 'prompt.txt')}`],
      ...['--measure', 'passed', '--margin', '0.1', '--samples', '2', '--holdout', '0.5', '--seed', '7'],
      ...['--timeout', '2.5', '--max-requests', '10', '--max-cost-usd', '0.5', '--cache', 'refresh'],
      ...['--prompt-cache', '5m'],
      ...['--max-combinations', '20'],
    );
    rmSync(folder, { recursive: true });
    expect(Object.keys(input).sort()).toEqual(Object.keys(ParamTuneInput.shape).sort());
    expect(JSON.stringify(input.search_space)).toBe(
      '{"temperature":{"min":0,"max":1,"step":0.5},"n":[5.0],"top_p":[0.5,1]}',
    );
    expect(ParamTuneInput.parse({ ...input, search_space: {} })).toEqual({
      suite_id: suiteId,
      name: 'Colder is better',
      models: ['p::a', 'p::b'],
      search_space: {},
      per_model_search_spaces: { 'p::b': { top_k: [1] } },
      mode: 'random',
      trials: 5,
      base: {
        ...{ temperature: 0.5, tool_choice: 'auto', max_tokens: 9 },
        ...{ params: { top_k: 1 }, system_prompt: 'Be brief.' },
      },
      measure: 'passed',
      margin: 0.1,
      samples: 2,
      holdout: 0.5,
      seed: 7,
      timeout_s: 2.5,
      budget: { max_requests: 10, max_cost_usd: 0.5 },
      cache: 'refresh',
      prompt_cache: '5m',
      experiment_id: null,
      max_combinations: 20,
    });
  });

  it('leaves omitted settings to the API, and sends 0 as 0', async () => {
    const input = ParamTuneInput.parse(await inputOf('--space', 'temperature=0'));
    expect(input).toEqual(ParamTuneInput.parse({ ...input, search_space: { temperature: [0] } }));
    expect(input).toMatchObject({ mode: 'adaptive', holdout: 0.3, margin: 0.02, seed: 1 });
    const zeros = ['--holdout', '0', '--margin', '0', '--seed', '0', '--base-temperature', '0', '--timeout', '0'];
    expect(await inputOf('--space', 'temperature=0', ...zeros, '--max-cost-usd', '0')).toMatchObject({
      ...{ holdout: 0, margin: 0, seed: 0, timeout_s: 0 },
      ...{ base: { temperature: 0 }, budget: { max_cost_usd: 0 } },
    });
  });

  it('refuses invalid search spaces', async () => {
    await expect(inputOf()).rejects.toThrow(/Give a search space with --space/);
    await expect(inputOf('--space', 'a=1', '--space', 'b=1', '--space', 'a=2')).rejects.toThrow(/names a twice/);
    await expect(inputOf('--space-file', 'none.json')).rejects.toThrow(/There is no file/);
    await expect(inputOf('--space-file', 'README.md')).rejects.toThrow(/^README\.md is not a search space: /);
    await expect(inputOf('--space-file', 'package.json')).resolves.toMatchObject({
      search_space: { name: 'toolmark' },
    });
  });
});

describe('a prompt tune', () => {
  const server = new ApiClient('http://127.0.0.1:9', ''); // Only asked for names.
  const suiteId = '019aa8a2-5c1e-7000-8000-000000000011';
  const inputOf = async (...args: string[]) => {
    const prompt = (await createProgram('0')).commands
      .find((one) => one.name() === 'tune')!
      .commands.find((one) => one.name() === 'prompt')!;
    prompt.parseOptions(['--models', 'p::a,p::b', '--meta-model', 'p::m', ...args]);
    return promptTuneInput(server, suiteId, prompt.opts<PromptTuneSettings>());
  };

  it('has an option for every setting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolmark-tune-'));
    writeFileSync(join(folder, 'prompt.txt'), 'Be brief.');
    const input = await inputOf(
      ...['--name', 'Brief', '--mode', 'quick', '--components', 'system_prompt, tools/*/description'],
      ...['--base-prompt', `@${join(folder, 'prompt.txt')}`, '--tool-override', 'tools/f/description=a=b'],
      ...['--variants', '4', '--population', '5', '--generations', '2', '--selection-ratio', '0.5'],
      ...['--minibatch', '6', '--max-evals', '400', '--max-growth', '1.5', '--holdout', '0.5', '--seed', '7'],
      ...['--measure', 'passed', '--margin', '0.1', '--samples', '2', '--temperature', '0.5', '--tool-choice', 'auto'],
      ...['--max-tokens', '9', '--params', '{"top_k": 1}', '--timeout', '2.5', '--cache', 'refresh'],
      ...['--prompt-cache', '5m'],
      ...['--max-requests', '10', '--max-cost-usd', '0.5'],
      ...['--meta-temperature', '0', '--meta-max-tokens', '99', '--meta-timeout', '3', '--meta-params', '{"n": 1}'],
    );
    rmSync(folder, { recursive: true });
    expect(Object.keys(input).sort()).toEqual(Object.keys(PromptTuneInput.shape).sort());
    const nested = PromptTuneInput.parse({ suite_id: suiteId, models: ['p::a'], meta_model: 'p::m' });
    expect(Object.keys((input as unknown as PromptTuneInput).base)).toEqual(Object.keys(nested.base));
    const metaKeys = [...Object.keys(nested.meta_params), 'timeout_s'];
    expect(new Set(Object.keys((input as unknown as PromptTuneInput).meta_params))).toEqual(new Set(metaKeys));
    expect(PromptTuneInput.parse(input)).toEqual({
      ...{ suite_id: suiteId, name: 'Brief', models: ['p::a', 'p::b'], meta_model: 'p::m', mode: 'quick' },
      components: ['system_prompt', 'tools/*/description'],
      base: { system_prompt: 'Be brief.', tools: { 'tools/f/description': 'a=b' } },
      ...{ variants: 4, population: 5, generations: 2, selection_ratio: 0.5, minibatch: 6, max_evals: 400 },
      ...{ max_growth: 1.5, holdout: 0.5, seed: 7, measure: 'passed', margin: 0.1, samples: 2, temperature: 0.5 },
      ...{ tool_choice: 'auto', max_tokens: 9, params: { top_k: 1 }, timeout_s: 2.5, cache: 'refresh' },
      prompt_cache: '5m',
      ...{ budget: { max_requests: 10, max_cost_usd: 0.5 }, experiment_id: null },
      meta_params: { temperature: 0, max_tokens: 99, timeout_s: 3, params: { n: 1 } },
    });
  });

  it('leaves omitted settings to the API, and sends an empty prompt and 0 unchanged', async () => {
    const defaults = PromptTuneInput.parse({ suite_id: suiteId, models: ['p::a', 'p::b'], meta_model: 'p::m' });
    expect(PromptTuneInput.parse(JSON.parse(JSON.stringify(await inputOf())))).toEqual(defaults);
    const zeros = ['--holdout', '0', '--margin', '0', '--seed', '0', '--temperature', '0', '--meta-temperature', '0'];
    expect(await inputOf('--base-prompt', '', ...zeros)).toMatchObject({
      ...{ base: { system_prompt: '' }, holdout: 0, margin: 0, seed: 0, temperature: 0 },
      meta_params: { temperature: 0 },
    });
  });
});

describe('a judge report', () => {
  const RUN = '019aa8a2-5c1e-7000-8000-000000000031';
  const BASELINE = '019aa8a2-5c1e-7000-8000-000000000032';
  /** Has every run. */
  const server = { run: (id: string) => Promise.resolve({ id }) } as unknown as ApiClient;
  const inputOf = async (...args: string[]) => {
    const judge = (await createProgram('0')).commands.find((one) => one.name() === 'judge')!;
    judge.parseOptions(args);
    return judgeInput(server, RUN, judge.opts<JudgeSettings>());
  };

  it('has an option for every setting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolmark-judge-'));
    writeFileSync(join(folder, 'mind.txt'), 'Dates are ISO.');
    const input = await inputOf(
      ...['--judge', 'p::j', '--which', 'sample', '--sample-size', '20', '--below', '0.5', '--samples', '3'],
      ...['--instructions', `@${join(folder, 'mind.txt')}`, '--no-reference', '--allow-self', '--seed', '7'],
      ...['--temperature', '0.5', '--max-tokens', '9', '--timeout', '2.5', '--params', '{"top_k": 1}'],
      ...['--max-requests', '10', '--max-cost-usd', '0.5'],
    );
    rmSync(folder, { recursive: true });
    expect([...Object.keys(input), 'a', 'b'].sort()).toEqual(Object.keys(JudgeInput.shape).sort());
    expect(JudgeInput.parse(input)).toEqual({
      ...{ eval_id: RUN, judge: 'p::j', which: 'sample', sample_size: 20, below: 0.5, samples: 3 },
      ...{ instructions: 'Dates are ISO.', reference: false, allow_self: true, seed: 7, temperature: 0.5 },
      ...{ max_tokens: 9, timeout_s: 2.5, params: { top_k: 1 }, experiment_id: null },
      budget: { max_requests: 10, max_cost_usd: 0.5 },
    });
  });

  it('leaves omitted settings to the API, and sends 0 and empty instructions unchanged', async () => {
    expect(JudgeInput.parse(JSON.parse(JSON.stringify(await inputOf())))).toEqual(JudgeInput.parse({ eval_id: RUN }));
    expect(await inputOf('--below', '0', '--seed', '0', '--temperature', '0', '--instructions', '')).toMatchObject({
      ...{ below: 0, seed: 0, temperature: 0, instructions: '' },
    });
  });

  it('compares a run with its baseline in every case of both', async () => {
    const input = JudgeInput.parse(await inputOf('--against', BASELINE, '--sample-size', '5'));
    expect(input).toMatchObject({ a: BASELINE, b: RUN, sample_size: 5 });
    expect(input).not.toHaveProperty('eval_id');
    for (const more of [
      ['--which', 'all'],
      ['--below', '0.5'],
    ])
      await expect(inputOf('--against', BASELINE, ...more)).rejects.toThrow(/leave out --which and --below/);
  });

  it('has an option for every default of the team', () => {
    const options = commandOf('judges settings').options.map((option) => option.attributeName());
    expect(options).toEqual(expect.arrayContaining(['judge', 'instructions', 'autoBelow']));
    expect(Object.keys(JudgeSetting.shape)).toEqual(['judge', 'instructions', 'auto_below']);
  });
});

it('numbers in a JSON object on the command line keep their form', () =>
  expect(JSON.stringify(jsonObject('{"a": 5.0, "b": 12345678901234567890}'))).toBe(
    '{"a":5.0,"b":12345678901234567890}',
  ));

it('the help of every command ends with examples', () => {
  for (const command of commands.filter((one) => one.name() !== 'help'))
    expect(helpOf(command)).toMatch(new RegExp(`Examples:\n( +\\$ toolmark ${pathOf(command)}.*\n)+$`));
});

it('--help lists the exit codes', () => {
  expect(EXIT_CODES.map(([code]) => code)).toEqual([0, 1, 2, 3, 4]);
  for (const [code, meaning] of EXIT_CODES) expect(helpOf(program)).toContain(`${code}  ${meaning}`);
});

describe('completion offers', () => {
  const complete = (...words: string[]) => completionsOf(program, words).map(({ word }) => word);

  it('commands at each level', () => {
    expect(complete('')).toEqual(expect.arrayContaining(['run', 'suites', 'history', 'completion']));
    expect(complete('')).not.toContain('complete');
    expect(complete('re')).toEqual(['record', 'resume', 'results', 'report', 'rescore']);
    expect(complete('suites', '')).toEqual(expect.arrayContaining(['list', 'check', 'import', 'drafts']));
    expect(complete('experiments', 'a')).toEqual(['archive', 'activate']);
    expect(complete('--server', 'suites', 'jo')).toEqual(['jobs']);
    expect(complete('tune')).toEqual(['tune', 'tunes']);
    expect(complete('tune', '')).toEqual(['params', 'prompt', 'help']);
    expect(complete('judge')).toEqual(['judge', 'judges']);
    expect(complete('judges', '')).toEqual(
      expect.arrayContaining(['list', 'show', 'judgements', 'rerun', 'delete', 'calibration', 'settings']),
    );
    expect(complete('tunes', '')).toEqual(expect.arrayContaining(['list', 'show', 'arms', 'candidates', 'delete']));
  });
  it('options of the command and global options', () => {
    expect(complete('run', 'Weather', '--w')).toEqual(['--watch']);
    expect(complete('show', 'RUN', 'RESULT', '--')).toEqual(expect.arrayContaining(['--model', '--sample', '--full']));
    expect(complete('compare', 'RUN', '--mar')).toEqual(['--margin', '--markdown']);
    expect(complete('suites', 'import', '--')).toEqual(
      expect.arrayContaining(['--format', '--dry-run', '--json', '--server']),
    );
  });
  it('the values of a choice, and nothing where a file name is possible', () => {
    expect(complete('suites', 'import', '--format', 'b')).toEqual(['bfcl']);
    expect(complete('run', 'x', '--cache', '=', 'u')).toEqual(['use']);
    expect(complete('experiments', 'list', '--status', 'a')).toEqual(['active', 'archived', 'all']);
    expect(complete('tune', 'params', 'x', '--mode', '')).toEqual(['adaptive', 'grid', 'random']);
    expect(complete('judge', 'x', '--which', '')).toEqual(['failed', 'all', 'sample']);
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(complete('suites', 'import', '')).toEqual([]);
    expect(complete('score', '--in', '')).toEqual([]);
  });
});
