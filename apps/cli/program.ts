import { Command } from 'commander';
import { EXIT_CODES } from './exit-codes.js';
import { print } from './output/terminal.js';

const FOOTER = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}

Without --server and --token the command uses TOOLMARK_SERVER and TOOLMARK_TOKEN, what toolmark login
remembered, or the server that npm start runs here. toolmark COMMAND --help shows examples.`;

type Add = (program: Command) => void;

/** The command files below their headings: the commands that each adds, and how to load it. */
export const FILES: Record<string, Record<string, () => Promise<Add>>> = {
  'Run suites:': {
    'run estimate': async () => (await import('./commands/run.js')).addRun,
    try: async () => (await import('./commands/try.js')).addTry,
    record: async () => (await import('./commands/record.js')).addRecord,
    resume: async () => (await import('./commands/resume.js')).addResume,
    samples: async () => (await import('./commands/samples.js')).addSamples,
  },
  'Find your way:': {
    home: async () => (await import('./commands/home.js')).addHome,
    'search trends': async () => (await import('./commands/search.js')).addSearch,
    'mark tags view': async () => (await import('./commands/mark.js')).addMark,
  },
  'Read results:': {
    history: async () => (await import('./commands/history.js')).addHistory,
    'show results': async () => (await import('./commands/show.js')).addShow,
    note: async () => (await import('./commands/note.js')).addNote,
    export: async () => (await import('./commands/export.js')).addExport,
    report: async () => (await import('./commands/report.js')).addReport,
    rescore: async () => (await import('./commands/rescore.js')).addRescore,
  },
  'Judge results:': {
    judge: async () => (await import('./commands/judge.js')).addJudge,
    judges: async () => (await import('./commands/judges.js')).addJudges,
    label: async () => (await import('./commands/label.js')).addLabel,
  },
  'Compare:': {
    compare: async () => (await import('./commands/compare.js')).addCompare,
    experiments: async () => (await import('./commands/experiments.js')).addExperiments,
  },
  'Decide what may ship:': {
    gate: async () => (await import('./commands/gate.js')).addGate,
    gates: async () => (await import('./commands/gates.js')).addGates,
  },
  'Tune:': {
    tune: async () => (await import('./commands/tune.js')).addTune,
    tunes: async () => (await import('./commands/tunes.js')).addTunes,
    presets: async () => (await import('./commands/presets.js')).addPresets,
    prompts: async () => (await import('./commands/prompts.js')).addPrompts,
  },
  'Jobs and what they cost:': {
    'jobs cancel': async () => (await import('./commands/jobs.js')).addJobs,
    lanes: async () => (await import('./commands/lanes.js')).addLanes,
    spending: async () => (await import('./commands/spending.js')).addSpending,
  },
  'Suites, models and metrics:': {
    suites: async () => (await import('./commands/suites.js')).addSuites,
    'providers models': async () => (await import('./commands/providers.js')).addProviders,
    prices: async () => (await import('./commands/prices.js')).addPrices,
    metrics: async () => (await import('./commands/metrics.js')).addMetrics,
  },
  'Who may do what, and who did:': {
    limits: async () => (await import('./commands/limits.js')).addLimits,
    audit: async () => (await import('./commands/audit.js')).addAudit,
  },
  'Without a server:': {
    score: async () => (await import('./commands/score.js')).addScore,
  },
  'Set up:': {
    'login logout whoami': async () => (await import('./commands/login.js')).addLogin,
    completion: async () => (await import('./commands/completion.js')).addCompletion,
  },
};

/**
 * The whole command line, or only the commands of the file that has this one. It throws CommanderErrors and never
 * exits. Loading it must stay cheap, since every command does: what needs zod, scoring or Socket.IO is imported by the
 * command that uses it. Lists of choices come from `libs/contracts/values`.
 */
export async function createProgram(version: string, command?: string): Promise<Command> {
  const program = new Command('toolmark')
    .description('Find out how well language models call tools.')
    .version(`toolmark ${version}`, '--version', 'print the version')
    .option('--server <url>', 'URL of the server')
    .option('--token <token>', 'token for the server')
    .option('--json', 'print JSON: lists as {"items": [...]}, errors as a problem on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => print(...text.replace(/\n$/, '').split('\n')),
      writeErr: (text) => print(...text.replace(/\n$/, '').split('\n')),
      // The error is also thrown, and run-program.ts prints it.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', FOOTER);
  const hasCommand = (names: string): boolean => names.split(' ').includes(command ?? '');
  const isKnown = Object.values(FILES).flatMap(Object.keys).some(hasCommand);
  for (const [heading, files] of Object.entries(FILES)) {
    program.commandsGroup(heading);
    for (const [names, load] of Object.entries(files)) if (!isKnown || hasCommand(names)) (await load())(program);
  }
  return program;
}

/** The index of the command's name in the arguments; -1 if there is none. */
const indexOfCommand = (args: readonly string[]): number =>
  args.findIndex((arg, index) => !arg.startsWith('-') && !['--server', '--token'].includes(args[index - 1] ?? ''));

/** The command that the arguments name. A preceding `--help` asks for the help of the program. */
export function commandOf(args: readonly string[]): string | undefined {
  const index = indexOfCommand(args);
  return ['-h', '--help'].some((help) => args.slice(0, index).includes(help)) ? undefined : args[index];
}

/**
 * Replaces `--json FILE` of `toolmark gate` with `--json-file FILE`. Commander accepts an option of the program at any
 * position, and there `--json` takes no file.
 */
export function withJsonFile(args: readonly string[]): string[] {
  const command = indexOfCommand(args);
  if (args[command] !== 'gate') return [...args];
  const isFile = (text: string | undefined): boolean => text !== undefined && text !== '' && !text.startsWith('-');
  return args.map((arg, index) =>
    index > command && arg === '--json' && isFile(args[index + 1]) ? '--json-file' : arg,
  );
}
