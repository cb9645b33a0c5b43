import { InvalidArgumentError, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { PatientClient } from '#lib/client/patient-client';
import { isObject, parseJson } from '#lib/contracts/json/json';
import { likelyName } from '#lib/contracts/input/nearest-names';
import { connection } from './connection.js';
import { printError } from './output/terminal.js';

/** Options that every command takes. */
export interface GlobalOptions {
  server?: string;
  token?: string;
  json?: boolean;
}

/** Commander calls an action with the arguments, the options and the command. */
const parseActionArguments = <Options, Args extends unknown[]>(
  all: unknown[],
): { args: Args; options: Options & GlobalOptions } => ({
  args: all.slice(0, -2) as Args,
  options: (all.at(-1) as Command).optsWithGlobals(),
});

/** An action that needs no server. */
export const localAction =
  <Options, Args extends unknown[] = []>(
    perform: (options: Options & GlobalOptions, ...args: Args) => void | Promise<void>,
  ) =>
  async (...all: unknown[]): Promise<void> => {
    const { args, options } = parseActionArguments<Options, Args>(all);
    await perform(options, ...args);
  };

/** An action that sends requests to the server. */
export const serverAction = <Options, Args extends unknown[] = []>(
  perform: (client: ApiClient, options: Options & GlobalOptions, ...args: Args) => Promise<void>,
) =>
  localAction<Options, Args>(async (options, ...args) => {
    const { server, token } = connection(options);
    const note = (seconds: number): void =>
      options.json ? undefined : printError(`Too many requests: waiting ${seconds} s, as the server asks.`);
    await perform(new PatientClient(server, token, note), options, ...args);
  });

/** Example calls at the end of a command's help. The tests run each line. */
export const examples = (...lines: string[]): ['after', string] => [
  'after',
  ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'),
];

export const subcommand = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description);

/** A group of commands that lists when it is called without a subcommand, as `toolmark suites` does. */
export function listByDefault(group: Command, list: (...all: unknown[]) => Promise<void>): Command {
  return group
    .argument('[command...]')
    .usage('[command]')
    .action(async ([name]: string[], ...rest: unknown[]) => {
      if (name === undefined) return list(...rest);
      const likely = likelyName(
        name,
        group.commands.map((command) => command.name()),
      );
      group.error(`error: unknown command '${name}'${likely === undefined ? '' : `\n(Did you mean ${likely}?)`}`, {
        code: 'commander.unknownCommand',
      });
    });
}

/* Parsers of option values. */

export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number.');
  return value;
}

export function integer(text: string): number {
  const value = number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}

/** `none` sets no limit: Infinity, since commander replaces null. The API takes null. */
export const limit = (text: string): number => (text === 'none' ? Infinity : integer(text));

/** Numbers are kept as they were written. */
export function jsonObject(text: string): object {
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new InvalidArgumentError(`Expected a JSON object: ${(error as Error).message}`);
  }
  throw new InvalidArgumentError('Expected a JSON object.');
}

export function commaSeparated(text: string): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw new InvalidArgumentError('Expected names separated by commas.');
  return names;
}

/** A day is its beginning in UTC. */
export function timeOf(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('It is not a time, such as 2026-11-01.');
  return at.toISOString();
}

/** For an option that may be given several times. */
export const repeatable =
  <Value>(read: (text: string) => Value) =>
  (text: string, previous: Value[] = []): Value[] => [...previous, read(text)];

/** An id alone, or a JSON object with that id and more. */
export const idOrObject = (value: string): string | object =>
  value.trimStart().startsWith('{') ? jsonObject(value) : value;
