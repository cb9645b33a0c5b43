import { execFileSync } from 'node:child_process';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { ParamTuneInput } from '#lib/param-tune/contract';
import { configText, runCommand, settingsOf } from './arm-settings.js';

const object = (text: string): JsonObject => parseJson(text) as JsonObject;
const inputOf = (base: string, models = ['sim::m']) =>
  ({ base: parseJson(base), models, timeout_s: 120 }) as unknown as ParamTuneInput;

/** The arguments that a shell would pass to the command. */
const argumentsOf = (command: string | undefined): string[] =>
  execFileSync('sh', ['-c', command!.replace('toolmark', `printf '%s\\n'`)], { encoding: 'utf8' })
    .split('\n')
    .slice(0, -1);

const BASE = '{"temperature":0,"tool_choice":"required","max_tokens":1024,"params":{"seed":7},"system_prompt":null}';

describe('the settings of an arm', () => {
  it('are the base with its own values, and numbers keep their text', () => {
    const { base } = inputOf(BASE);
    expect(JSON.stringify(settingsOf(base, object('{"temperature":0.50,"top_p":1.0}')))).toBe(
      '{"temperature":0.50,"tool_choice":"required","max_tokens":1024,"params":{"seed":7,"top_p":1.0}}',
    );
  });

  it('are shown on one line', () => {
    expect(configText(object('{"temperature":0.50,"stop":["a"]}'))).toBe('temperature 0.50, stop a');
    expect(configText({ max_tokens: null })).toBe('no token limit');
    expect(configText({})).toBe('the base');
  });
});

describe('an arm copied as a command', () => {
  it('reaches the shell unchanged', () => {
    const input = inputOf(BASE.replace('null', JSON.stringify(`it's $HOME \`id\``)));
    const config = object('{"temperature":0,"top_p":1.0,"stop":["it\'s"]}');
    expect(argumentsOf(runCommand({ suiteId: 's1', target: 'sim::m', config, input }))).toEqual([
      'run',
      's1',
      '--models',
      'sim::m',
      '--temperature',
      '0',
      '--tool-choice',
      'required',
      '--max-tokens',
      '1024',
      '--params',
      '{"seed":7,"top_p":1.0,"stop":["it\'s"]}',
      '--timeout',
      '120',
      '--system-prompt',
      "it's $HOME `id`",
    ]);
  });

  it.each([
    ['its whole name', '{"sim::m":"own","*":"other"}', ['sim::m'], 'own'],
    ['the name that was asked for', '{"m":"own","*":"other"}', ['m'], 'own'],
    ['the star', '{"sim::n":"own","*":"other"}', ['sim::m'], 'other'],
  ])('has the prompt of its model by %s', (_what, prompts, models, prompt) => {
    const input = inputOf(BASE.replace('null', prompts), models);
    expect(argumentsOf(runCommand({ suiteId: 's1', target: 'sim::m', config: {}, input })).at(-1)).toBe(prompt);
  });

  it('is not offered where the command line would read it differently', () => {
    const config = {};
    expect(runCommand({ suiteId: 's1', target: 'sim::a,b', config, input: inputOf(BASE) })).toBeUndefined();
    const input = inputOf(BASE.replace('null', '"@file"'));
    expect(runCommand({ suiteId: 's1', target: 'sim::m', config, input })).toBeUndefined();
  });
});
