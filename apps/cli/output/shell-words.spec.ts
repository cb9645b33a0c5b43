import { execFileSync } from 'node:child_process';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { needsPromptFile, runCommand } from './run-command.js';
import { shellLine } from './shell-words.js';
import { escapeControls } from './terminal.js';

/** The words into which bash splits a line. */
const wordsOf = (line: string): string[] =>
  execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${line}`], { encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } })
    .split('\0')
    .slice(0, -1);

const WORDS = [
  'toolmark',
  'simulator::perfect-ish',
  '',
  ' ',
  "it's",
  '$(id) `id` $HOME $' + '{x} !! ~ * ? [a] {a,b} # \\ " ; & | < >',
  '{"a": "b\\n"}',
  'line\r\n\tline\u2028end',
  "\u001b[2J\u202eevil\u0007' \\ \u0085",
  'naïve 東京 😀',
  '=x',
  '```',
  'a=b',
];

describe('words for a shell', () => {
  it.each(WORDS)('%j is one unchanged argument', (word) => expect(wordsOf(shellLine([word]))).toEqual([word]));

  it('stay separate, on one line without invisible characters', () => {
    const line = shellLine(WORDS);
    expect(wordsOf(line)).toEqual(WORDS);
    expect(escapeControls(line)).toBe(line);
    expect(line).not.toMatch(/[\n\u2028\u202e]/);
  });

  it('are not quoted unnecessarily', () =>
    expect(shellLine(['toolmark', 'run', '--models', 'p::a-1.5/b', '0.5'])).toBe(
      'toolmark run --models p::a-1.5/b 0.5',
    ));
});

describe('the run of a configuration', () => {
  const base = { temperature: 0, tool_choice: 'required', max_tokens: 1024, params: {}, system_prompt: null };
  const command = (config: string, more: object = {}, target = 'p::a') =>
    runCommand(
      { input: { base: { ...base, ...more } }, suite_id: 'suite-1', suite_name: 'Weather' } as unknown as ParamTune,
      target,
      parseJson(config) as JsonObject,
    );

  it('has the settings of the base, overridden by those of the configuration, and a limit if there is one', () => {
    expect(command('{}')).toBe(
      'toolmark run suite-1 --models p::a --temperature 0 --tool-choice required --max-tokens 1024',
    );
    expect(command('{"max_tokens": null}')).toBe(
      'toolmark run suite-1 --models p::a --temperature 0 --tool-choice required',
    );
    const more = { params: parseJson('{"seed": 7, "top_p": 1}'), temperature: 0.7 };
    expect(command('{"tool_choice": "auto", "top_p": 0.5, "max_tokens": 64}', more)).toBe(
      `toolmark run suite-1 --models p::a --temperature 0.7 --tool-choice auto --max-tokens 64 ` +
        `--params '{"seed":7,"top_p":0.5}'`,
    );
  });

  it('keeps the form of numbers, and any text', () => {
    const line = command('{"temperature": 0, "x": 5.0, "id": 12345678901234567890, "stop": ["it\'s `a`\\n\\u202e"]}', {
      system_prompt: { 'p::a': 'Be\nbrief: $HOME', '*': 'no' },
    });
    const words = wordsOf(line);
    const params = words[words.indexOf('--params') + 1]!;
    expect(params).toMatch(/^\{"x":5\.0,"id":12345678901234567890,"stop":/);
    expect(JSON.parse(params).stop).toEqual(["it's `a`\n\u202e"]);
    expect(words.slice(-2)).toEqual(['--system-prompt', 'Be\nbrief: $HOME']);
    expect(line).not.toMatch(/[\n\u202e]/);
  });

  it('reads a long prompt, or one that looks like a file name, from a file', () => {
    expect(needsPromptFile(command('{}', { system_prompt: 'Be brief.' }))).toBe(false);
    for (const prompt of ['@file', 'x'.repeat(3000)]) {
      expect(command('{}', { system_prompt: prompt })).toMatch(/ --system-prompt @system-prompt\.txt$/);
      expect(needsPromptFile(command('{}', { system_prompt: prompt }))).toBe(true);
    }
  });
});
