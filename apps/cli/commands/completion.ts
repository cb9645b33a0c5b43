import { Argument, type Command } from 'commander';
import { examples, locally, subcommand } from '../command.js';
import { COMPLETION_SCRIPTS, completionsOf } from '../completion.js';
import { printFile } from '../output/terminal.js';

export function addCompletion(program: Command): void {
  const completion = subcommand(program, 'completion', 'print a script for shell completion of commands and options')
    .addArgument(new Argument('<shell>', 'shell that runs the script').choices(Object.keys(COMPLETION_SCRIPTS)))
    .action(locally<object, [string]>((_options, shell) => printFile(COMPLETION_SCRIPTS[shell]!)));
  completion.addHelpText(
    ...examples('toolmark completion bash', 'toolmark completion zsh', 'toolmark completion fish'),
  );

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .action(
      locally<object, [string[]]>((_options, words) =>
        printFile(
          completionsOf(program, words)
            .map(({ word, description }) => `${word}\t${description}\n`)
            .join(''),
        ),
      ),
    );
}
