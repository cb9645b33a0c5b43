import { Body, Controller, Delete, Param, Put } from '@nestjs/common';
import { ResultNote, ResultNoteInput } from '#lib/contracts/result-note';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { ResultNoteRepository } from '#lib/db/catalogue/result-notes';
import { parseResultId, type Item } from '#lib/db/read/result-rows';
import { About, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';

/** What a team notes on results. It changes no score. */
@Controller('api/tool-eval/history/:id/results/:resultId/note')
export class NotesController {
  @Put()
  @About(
    'Note something on a result',
    'For everybody in the team, in place of the earlier note. It stays when the run is resumed or rescored, and is ' +
      'deleted with the run.',
  )
  @Answers(200, ResultNote, 404, 422)
  putNote(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Body({ schema: ResultNoteInput }) { text }: ResultNoteInput,
    @Changes() change: Change,
  ): Promise<ResultNote> {
    const runId = uuid('run', id);
    const place = placeOf(resultId);
    return change(async (client) => {
      const notes = new ResultNoteRepository(client, caller.teamId);
      const written = await notes.write(runId, place, { text, userId: caller.userId });
      if (!written) throw notFound('result', resultId);
      const { note, before } = written;
      const changed = { before: { text: before }, after: { text } };
      await audit(client, caller, 'note.put', `${runId} ${resultId}`, changed);
      return note;
    });
  }

  @Delete()
  @About("Delete a result's note", 'Whoever wrote it.')
  @Answers(204, undefined, 404)
  removeNote(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Changes() change: Change,
  ): Promise<void> {
    const runId = uuid('run', id);
    const place = placeOf(resultId);
    return change(async (client) => {
      const removed = await new ResultNoteRepository(client, caller.teamId).remove(runId, place, caller.userId);
      if (removed === undefined) throw new ProblemError(404, `The result "${resultId}" has no note.`);
      await audit(client, caller, 'note.delete', `${runId} ${resultId}`, { before: { text: removed } });
    });
  }
}

/** @throws ProblemError 404 */
function placeOf(resultId: string): Item {
  const item = parseResultId(resultId);
  if (!item) throw notFound('result', resultId);
  return item;
}
