import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { LABELS_EXAMPLE } from '#lib/contracts/examples/example-files';
import { Label, LabelInput, LabelsImported, LabelsInput, LabelsQuery, MAX_LABEL_LINES } from '#lib/contracts/label';
import { pageOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import {
  About,
  Answers,
  Changes,
  cursorOf,
  Me,
  TakesFile,
  TakesUpTo,
  UUID,
  uuid,
  type Change,
} from '../platform/decorators.js';
import { MAX_BODY_BYTES, Upload } from '../platform/upload.js';
import { LabelService } from './labels.service.js';

/** JSON Lines arrive as a string when the request has an Idempotency-Key. */
const LabelsBody = z.union([LabelsInput, z.string()]);
/** A result, and the user who labelled it. */
const CURSOR = new RegExp(`^\\d{1,5}-\\d{1,9}-\\d{1,5}\\.${UUID.source.slice(1)}`, 'i');

@Controller('api/tool-eval/history/:id')
export class LabelsController {
  constructor(readonly service: LabelService) {}

  @Put('results/:resultId/label')
  @About(
    'Label a result',
    'Stores your verdict on a result, in place of your earlier one. A label changes no score: a judge is ' +
      'calibrated against it. A result that errored has no reply to label, and is refused with 422.',
  )
  @Answers(200, Label, 404, 422)
  put(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Body({ schema: LabelInput }) input: LabelInput,
    @Changes() change: Change,
  ): Promise<Label> {
    return this.service.put(caller, uuid('run', id), resultId, input, change);
  }

  @Delete('results/:resultId/label')
  @About('Delete a label', 'Your own; those of others stay.')
  @Answers(204, undefined, 404)
  remove(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Changes() change: Change,
  ): Promise<void> {
    return this.service.delete(caller, uuid('run', id), resultId, change);
  }

  @Get('labels')
  @About(
    'List the labels of a run',
    'The labels of everyone in the team, ordered by result (model, case and sample) and user.',
  )
  @Answers(200, pageOf(Label), 404)
  list(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: LabelsQuery }) { limit, cursor, result_id: resultId }: LabelsQuery,
  ) {
    return this.service.list(caller, uuid('run', id), { limit, cursor: cursorOf(cursor, CURSOR), resultId });
  }

  @Post('labels')
  @TakesUpTo(MAX_BODY_BYTES, LabelsInput)
  @TakesFile(
    { 'application/x-ndjson': LABELS_EXAMPLE, 'application/jsonl': LABELS_EXAMPLE },
    { bounds: { bytes: MAX_BODY_BYTES }, identifiedBy: 'text' },
  )
  @About(
    'Import labels',
    'Stores labels that were given elsewhere as yours: JSON, or lines of `{result_id, label, note}` as ' +
      `\`application/x-ndjson\`; at most ${MAX_LABEL_LINES.toLocaleString('en')} of them. All are stored or none, ` +
      'and every fault is named with its line. Your earlier labels of these results are replaced.',
  )
  @Answers(200, LabelsImported, 404, 408, 413, 422)
  import(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: LabelsBody }) body: LabelsInput | string | Upload,
    @Changes() change: Change,
  ): Promise<LabelsImported> {
    return this.service.import(caller, uuid('run', id), body, change);
  }
}
