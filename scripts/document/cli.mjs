// The reference in docs/cli.md, from the commands and exit codes of apps/cli.
import { EXIT_CODES } from '../../dist/apps/cli/exit-codes.js';
import { createProgram } from '../../dist/apps/cli/program.js';
import { code, sentence, table } from './tables.mjs';

const HIDDEN = ['complete', 'help'];
const program = await createProgram('');
const flagsOf = (option) => option.flags.replace(/[<[].*/, (value) => value.toUpperCase().replaceAll(/[<>]/g, ''));
const isSame = (option) => (other) => option.flags === other.flags && option.description === other.description;
const settings = program.commands.find((command) => command.name() === 'estimate').options;

/** Every command, below its group's heading in `toolmark --help`. */
export const commands = () =>
  [...Map.groupBy(program.commands, (command) => command.helpGroup())]
    .map(([heading, members]) => [heading, members.flatMap(withMembers)])
    .filter(([, members]) => members.length)
    .map(([heading, members]) => [`### ${heading.replace(/:$/, '')}`, ...members.map(described)].join('\n\n'))
    .join('\n\n');

export const exitCodes = () =>
  table(
    ['code', 'meaning'],
    EXIT_CODES.map(([exit, meaning]) => [String(exit), meaning]),
  );

const withMembers = (command) =>
  HIDDEN.includes(command.name()) ? [] : command.commands.length ? command.commands.flatMap(withMembers) : [command];

function described(command) {
  const shared = command.options.filter((option) => settings.some(isSame(option)));
  // A few options shared with `run` are repeated; many are only named.
  const isLike = command.name() !== 'run' && shared.length > settings.length / 2;
  const own = isLike ? command.options.filter((option) => !shared.includes(option)) : command.options;
  return [
    `#### ${code(usageOf(command))}`,
    sentence(command.description()),
    ...(isLike ? [`As for [\`run\`](#run-suite): ${shared.map(({ long }) => code(long)).join(', ')}.`] : []),
    ...(own.length ? [table(['option', 'meaning'], own.map(rowOf))] : []),
  ].join('\n\n');
}

function usageOf(command) {
  const names = [];
  for (let at = command; at.parent; at = at.parent) names.unshift(at.name());
  const values = command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? ' ...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [...names, ...values].join(' ');
}

function rowOf(option) {
  const { argChoices, defaultValue, mandatory } = option;
  const remarks = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices ? [`choices: ${argChoices.map(code).join(', ')}`] : []),
    ...(defaultValue === undefined || option.negate ? [] : [`default: ${code(defaultValue)}`]),
  ];
  return [code(flagsOf(option)), `${option.description}${remarks.length ? ` (${remarks.join('; ')})` : ''}`];
}
