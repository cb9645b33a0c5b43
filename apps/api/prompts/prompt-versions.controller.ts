import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { pageOf } from '#lib/contracts/page';
import {
  PromptDiff,
  PromptDiffQuery,
  PromptVersion,
  PromptVersionHead,
  PromptVersionInput,
  PromptVersionPatch,
  PromptVersionsQuery,
} from '#lib/contracts/prompt-version';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { PromptVersionService } from './prompt-versions.service.js';

const WHAT = 'prompt version';

const TEXTS_BYTES = 2 * 2 ** 20;

@Controller('api/prompt-versions')
export class PromptVersionsController {
  constructor(readonly service: PromptVersionService) {}

  @Get()
  @About('List prompt versions', 'Texts that replace those of a suite in a run, the newest first.')
  @Answers(200, pageOf(PromptVersionHead))
  list(@Me() caller: Caller, @Query({ schema: PromptVersionsQuery }) { cursor, ...query }: PromptVersionsQuery) {
    return this.service.list(caller, { ...query, cursor: idCursor(cursor) });
  }

  @Post()
  @TakesUpTo(TEXTS_BYTES, PromptVersionInput)
  @About(
    'Create a prompt version',
    'The suite does not change: runs use the texts with `prompt_version_id`. Answers 409 when the suite has 1,000 ' +
      'versions.',
  )
  @Answers(201, PromptVersion, 409)
  create(
    @Me() caller: Caller,
    @Body({ schema: PromptVersionInput }) input: PromptVersionInput,
    @Changes() change: Change,
  ) {
    return this.service.create(caller, input, change);
  }

  @Get(':id')
  @About('Read a prompt version', 'With its texts.')
  @Answers(200, PromptVersion, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid(WHAT, id));
  }

  @Patch(':id')
  @About('Change a prompt version', 'Changes its label and tags. A tag moves here from the version that had it.')
  @Answers(200, PromptVersion, 404)
  update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: PromptVersionPatch }) patch: PromptVersionPatch,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, uuid(WHAT, id), patch, change);
  }

  @Delete(':id')
  @About('Delete a prompt version', 'Runs that used its texts keep them.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid(WHAT, id), change);
  }

  @Get(':id/diff')
  @About(
    'Compare a prompt version',
    'Word by word with another version, with its parent, or with the current suite. A text that one of ' +
      'them does not have is that of the suite.',
  )
  @Answers(200, PromptDiff, 404, 429)
  diff(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: PromptDiffQuery }) { to }: PromptDiffQuery) {
    return this.service.diff(caller, uuid(WHAT, id), to);
  }
}
