import type { Command, Option } from 'commander';

/*
 * Shell completion. @bomb.sh/tab was tried: it disables file names, which half of our commands take; its bash script
 * needs the bash-completion package and runs `eval` over the typed line, including any `$(...)`; and it offers no
 * global option after a command.
 */

export interface Candidate {
  word: string;
  description: string;
}

/** Completions of the last of these words; empty if the shell should offer file names. */
export function completionsOf(program: Command, words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? '';
  const { command, option } = commandAt(program, words.slice(0, -1));
  return candidates(program, command, option, typed).filter(({ word }) => word.startsWith(typed));
}

/** The command that the words name, and the option whose value comes next. */
function commandAt(program: Command, words: readonly string[]): { command: Command; option: Option | undefined } {
  let command = program;
  let option: Option | undefined;
  for (const word of words) {
    if (word === '=') continue; // Bash splits `--format=csv` into three words.
    if (option) option = undefined;
    else if (word.startsWith('-')) {
      const named = optionsOf(program, command).find(({ long, short }) => word === long || word === short);
      if (named && !named.isBoolean()) option = named;
    } else command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return { command, option };
}

function candidates(program: Command, command: Command, option: Option | undefined, typed: string): Candidate[] {
  if (option) return choices(option.argChoices);
  if (typed.startsWith('-'))
    return optionsOf(program, command).map(({ long, description }) => ({ word: long!, description }));
  const commands = command.createHelp().visibleCommands(command);
  if (command.commands.length) return commands.map((one) => ({ word: one.name(), description: one.description() }));
  return choices(command.registeredArguments[0]?.argChoices);
}

const optionsOf = (program: Command, command: Command): readonly Option[] =>
  [...new Set([command, program])].flatMap((one) => one.createHelp().visibleOptions(one));

const choices = (words: readonly string[] = []): Candidate[] => words.map((word) => ({ word, description: '' }));

/** Scripts that call `toolmark complete -- WORDS`, and offer file names if it prints nothing. */
export const COMPLETION_SCRIPTS: Record<string, string> = {
  bash: `_toolmark() {
  local IFS=$'\\n'
  COMPREPLY=($(toolmark complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _toolmark toolmark
`,
  zsh: `#compdef toolmark
_toolmark() {
  local -a candidates
  candidates=("\${(@f)$(toolmark complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | tr '\\t' ':')}")
  if [[ -n "\${candidates[*]}" ]]; then _describe toolmark candidates; else _files; fi
}
compdef _toolmark toolmark
`,
  fish: `complete -c toolmark -a '(toolmark complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};
