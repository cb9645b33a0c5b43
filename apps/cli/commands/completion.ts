import { Argument, type Command } from 'commander';
import { examples, localAction, subcommand } from '../command.js';
import { COMPLETION_SCRIPTS, completionsOf } from '../completion.js';
import { writeOutput } from '../output/terminal.js';

export function addCompletion(program: Command): void {
  const completion = subcommand(program, 'completion', 'print a script for shell completion of commands and options')
    .addArgument(new Argument('<shell>', 'shell that runs the script').choices(Object.keys(COMPLETION_SCRIPTS)))
    .action(localAction<object, [string]>((_options, shell) => writeOutput(COMPLETION_SCRIPTS[shell]!)));
  completion.addHelpText(
    ...examples('toolmark completion bash', 'toolmark completion zsh', 'toolmark completion fish'),
  );

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .action(
      localAction<object, [string[]]>((_options, words) =>
        writeOutput(
          completionsOf(program, words)
            .map(({ word, description }) => `${word}\t${description}\n`)
            .join(''),
        ),
      ),
    );
}
