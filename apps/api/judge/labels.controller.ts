import { Body, Controller, Delete, Get, Param, Post, Put, Query, Inject } from '@nestjs/common';
import { z } from 'zod';
import { LABELS_EXAMPLE } from '#lib/contracts/examples/example-files';
import { Label, LabelInput, LabelsImported, LabelsInput, LabelsQuery, MAX_LABEL_LINES } from '#lib/contracts/label';
import { pageOf, type Page } from '#lib/contracts/page';
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
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Pool } from '#lib/db/connection/pool';
import { deleteLabel, storeLabel, storeLabels } from '#lib/judge/rows/store-labels';
import { LabelRepository } from '#lib/judge/rows/labels';
import { parseResultId } from '#lib/db/read/result-rows';
import { POOL } from '../platform/stores.js';
import { faultOf, NO_RESULT, numberLabels, readLabelLines, refuseLabels, type NumberedLabel } from './label-lines.js';

/** JSON Lines arrive as a string when the request has an Idempotency-Key. */
const LabelsBody = z.union([LabelsInput, z.string()]);
/** A result, and the user who labelled it. */
const CURSOR = new RegExp(`^\\d{1,5}-\\d{1,9}-\\d{1,5}\\.${UUID.source.slice(1)}`, 'i');

/** Labels that users give to results. They do not change scores. */
@Controller('api/tool-eval/history/:id')
export class LabelsController {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  /** @throws ProblemError 404, 422 for a result that errored */
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
    @Body({ schema: LabelInput }) { label, note }: LabelInput,
    @Changes() change: Change,
  ): Promise<Label> {
    const runId = uuid('run', id);
    const { teamId, userId } = caller;
    const item = parseResultId(resultId);
    if (!item) throw notFound('result', resultId);
    return change(async (client) => {
      const after = { label, note: note || null };
      const { before, whyNot } = await storeLabel(client, { teamId, userId, runId }, { ...item, ...after });
      if (whyNot === 'missing') throw notFound('result', resultId);
      if (whyNot === 'errored') throw new ProblemError(422, `The result "${resultId}" ${ERRORED}.`);
      await audit(client, caller, 'label.put', `${runId} ${resultId}`, { before, after });
      return new LabelRepository(client, teamId, userId).readOwn(runId, resultId);
    });
  }

  /** @throws ProblemError 404 */
  @Delete('results/:resultId/label')
  @About('Delete a label', 'Your own; those of others stay.')
  @Answers(204, undefined, 404)
  remove(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Changes() change: Change,
  ): Promise<void> {
    const runId = uuid('run', id);
    const { teamId, userId } = caller;
    return change(async (client) => {
      const before = await deleteLabel(client, { teamId, userId, runId }, resultId);
      await audit(client, caller, 'label.delete', `${runId} ${resultId}`, { before });
    });
  }

  @Get('labels')
  @About(
    'List the labels of a run',
    'The labels of everyone in the team, ordered by result (model, case and sample) and user.',
  )
  @Answers(200, pageOf(Label), 404)
  list(
    @Me() { teamId, userId }: Caller,
    @Param('id') id: string,
    @Query({ schema: LabelsQuery }) { limit, cursor, result_id: resultId }: LabelsQuery,
  ): Promise<Page<Label>> {
    return new LabelRepository(this.pool, teamId, userId).list(uuid('run', id), {
      limit,
      cursor: cursorOf(cursor, CURSOR),
      resultId,
    });
  }

  /** @throws ProblemError 404, 422 naming each invalid line */
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
  async import(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: LabelsBody }) body: LabelsInput | string | Upload,
    @Changes() change: Change,
  ): Promise<LabelsImported> {
    const runId = uuid('run', id);
    if (typeof body === 'object' && !(body instanceof Upload))
      return this.#import(caller, runId, numberLabels(body.labels), change);
    try {
      return await this.#import(caller, runId, await readLabelLines(body), change);
    } finally {
      if (body instanceof Upload) await body.drain();
    }
  }

  #import(caller: Caller, runId: string, labels: readonly NumberedLabel[], change: Change): Promise<LabelsImported> {
    const { teamId, userId } = caller;
    return change(async (client) => {
      const whyNot = await storeLabels(client, { teamId, userId, runId }, labels);
      const faults = [...whyNot].map(([index, why]) => {
        const message = why === 'errored' ? ERRORED : NO_RESULT;
        return faultOf(labels[index]!.line, { path: '/result_id', message });
      });
      refuseLabels(faults);
      await audit(client, caller, 'label.import', runId, { after: { labels: labels.length } });
      return { labels: labels.length };
    });
  }
}

const ERRORED = 'errored: it has no reply to label';
