import { Command } from 'commander';
import { addCompare } from './commands/compare.js';
import { addCompletion } from './commands/completion.js';
import { addExperiments } from './commands/experiments.js';
import { addExport } from './commands/export.js';
import { addGate } from './commands/gate.js';
import { addGates } from './commands/gates.js';
import { addHistory } from './commands/history.js';
import { addJobs } from './commands/jobs.js';
import { addJudge } from './commands/judge.js';
import { addJudges } from './commands/judges.js';
import { addLabel } from './commands/label.js';
import { addLogin } from './commands/login.js';
import { addMetrics } from './commands/metrics.js';
import { addPresets } from './commands/presets.js';
import { addPrompts } from './commands/prompts.js';
import { addProviders } from './commands/providers.js';
import { addRecord } from './commands/record.js';
import { addReport } from './commands/report.js';
import { addRescore } from './commands/rescore.js';
import { addResume } from './commands/resume.js';
import { addRun } from './commands/run.js';
import { addSamples } from './commands/samples.js';
import { addScore } from './commands/score.js';
import { addShow } from './commands/show.js';
import { addSuites } from './commands/suites.js';
import { addTry } from './commands/try.js';
import { addTune } from './commands/tune.js';
import { addTunes } from './commands/tunes.js';
import { EXIT_CODES } from './exit-codes.js';
import { print } from './output/terminal.js';

const FOOTER = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}

Without --server and --token the command uses TOOLMARK_SERVER and TOOLMARK_TOKEN, what toolmark login
remembered, or the server that npm start runs here. toolmark COMMAND --help shows examples.`;

/**
 * The whole command line. It throws CommanderErrors and never exits. Loading it must stay cheap, since every command
 * does: what needs zod, scoring or Socket.IO is imported by the command that uses it.
 * For the same reason commands keep copies of the contracts' lists of choices; program.spec.ts holds them equal.
 */
export function createProgram(version: string): Command {
  const program = new Command('toolmark')
    .description('Find out how well language models call tools.')
    .version(`toolmark ${version}`, '--version', 'print the version')
    .option('--server <url>', 'server to talk to')
    .option('--token <token>', 'token of the server')
    .option('--json', 'print JSON: lists as {"items": [...]}, errors as a problem on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => print(...text.replace(/\n$/, '').split('\n')),
      writeErr: (text) => print(...text.replace(/\n$/, '').split('\n')),
      // The error is thrown as well, and run-program.ts prints it.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', FOOTER);
  const groups: [heading: string, add: ((program: Command) => void)[]][] = [
    ['Run suites:', [addRun, addTry, addRecord, addResume, addSamples]],
    ['Read results:', [addHistory, addShow, addExport, addReport, addRescore]],
    ['Judge results:', [addJudge, addJudges, addLabel]],
    ['Compare:', [addCompare, addExperiments]],
    ['Decide what may ship:', [addGate, addGates]],
    ['Tune:', [addTune, addTunes, addPresets, addPrompts]],
    ['Jobs:', [addJobs]],
    ['Suites, models and metrics:', [addSuites, addProviders, addMetrics]],
    ['Without a server:', [addScore]],
    ['Set up:', [addLogin, addCompletion]],
  ];
  for (const [heading, add] of groups) {
    program.commandsGroup(heading);
    for (const one of add) one(program);
  }
  return program;
}

/**
 * The arguments with `--json-file FILE` in place of `--json FILE` of `toolmark gate`. Commander reads an option of the
 * program wherever it stands, and there `--json` takes no file.
 */
export function withJsonFile(args: readonly string[]): string[] {
  const isValue = (index: number): boolean => ['--server', '--token'].includes(args[index - 1] ?? '');
  const command = args.findIndex((arg, index) => !arg.startsWith('-') && !isValue(index));
  if (args[command] !== 'gate') return [...args];
  const isFile = (text: string | undefined): boolean => text !== undefined && text !== '' && !text.startsWith('-');
  return args.map((arg, index) =>
    index > command && arg === '--json' && isFile(args[index + 1]) ? '--json-file' : arg,
  );
}
