import { Body, Controller, Post, Query } from '@nestjs/common';
import { RECORDED_EXAMPLE } from '#lib/contracts/examples/example-files';
import { MAX_RECORDED, RecordedInput, RecordedQuery, RecordedSubmitted } from '#lib/contracts/recorded';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, TakesFile, TakesUpTo, type Change } from '../platform/decorators.js';
import type { LargeJson } from '../platform/large-bodies.js';
import { MAX_BODY_BYTES, Upload } from '../platform/upload.js';
import { RecordedService } from './recorded.service.js';

/** A file may take hours to send, as long as data keeps arriving. */
const UPLOAD_BOUNDS = { bytes: MAX_RECORDED.bytes, totalMs: 6 * 3600_000, idleMs: 60_000 };

@Controller('api/tool-eval/recorded')
export class RecordedController {
  constructor(readonly service: RecordedService) {}

  @Post()
  @TakesUpTo(MAX_BODY_BYTES, RecordedInput, { entriesOf: 'replies' })
  @TakesFile(
    { 'application/x-ndjson': RECORDED_EXAMPLE, 'application/jsonl': RECORDED_EXAMPLE },
    { bounds: UPLOAD_BOUNDS, identifiedBy: 'length' },
  )
  @About(
    'Record a run',
    'Creates a run from replies that were made elsewhere. It calls no model and costs nothing, and it is ' +
      'listed, scored and compared like any other. Beyond 10 MiB, send the lines themselves as ' +
      '`application/x-ndjson`, with the settings in the query: at most ' +
      `${MAX_RECORDED.lines.toLocaleString('en')} lines of ${MAX_RECORDED.lineCharacters / 2 ** 20} MiB, ` +
      `${MAX_RECORDED.bytes / 2 ** 30} GiB in all, which are read as they arrive. A line is ` +
      '`{case, sample, reply}`. `case` is an id or a name, `sample` counts from 0 and may be left out, and ' +
      '`reply` has any shape that `toolmark score` reads. Instead of `reply` a line may have `rounds` (of a ' +
      'chain or a conversation) or `error` (what went wrong). The API stores all of the replies or none.',
  )
  @Answers(202, RecordedSubmitted, 408, 413, 429)
  record(
    @Me() caller: Caller,
    @Query({ schema: RecordedQuery }) query: object,
    @Body({ schema: RecordedInput }) body: RecordedInput | LargeJson | Upload,
    @Changes() change: Change,
  ): Promise<RecordedSubmitted> {
    return this.service.record(caller, query, body, change);
  }
}
