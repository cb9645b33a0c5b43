import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ResultNote } from '#lib/contracts/result-note';
import { examples, integer, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findResult, type ResultChoice } from '../lookup/find-result.js';
import { findRun } from '../lookup/find-run.js';
import { print, printJson } from '../output/terminal.js';

interface NoteOptions extends GlobalOptions, ResultChoice {
  remove?: boolean;
}

export function addNote(program: Command): void {
  const note = subcommand(program, 'note', 'note something on a result, for everybody in the team')
    .argument('<run>', 'id or id prefix of a run or job')
    .argument('<result>', 'id of a result, as toolmark results lists it; or name or id of its case')
    .argument('[text]', 'the note, in place of the earlier one')
    .option('--remove', 'remove the note')
    .option('--model <model>', 'the result of this model, if a case has several')
    .option('--sample <number>', 'the result of this sample, from 0', integer)
    .action(serverAction<NoteOptions, [string, string, string | undefined]>(change));
  note.addHelpText(
    ...examples('toolmark note RUN 0-4-0 "The city is ambiguous: accept both."', 'toolmark note RUN 0-4-0 --remove'),
  );
}

async function change(
  client: ApiClient,
  options: NoteOptions,
  wantedRun: string,
  wanted: string,
  text: string | undefined,
): Promise<void> {
  if ((text === undefined) !== (options.remove ?? false)) throw new Error('Give the text of the note, or --remove.');
  const { id: runId } = await findRun(client, wantedRun);
  const id = await findResult(client, runId, wanted, options);
  const path = `/api/tool-eval/history/${runId}/results/${id}/note`;
  if (text === undefined) {
    await client.call('DELETE', path);
    return options.json ? printJson(null) : print(`Removed the note on ${id}.`);
  }
  const note = await client.call<ResultNote>('PUT', path, { text });
  if (options.json) return printJson(note);
  print(`Noted on ${id}.`);
}
