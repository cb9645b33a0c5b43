import { Inject, Injectable } from '@nestjs/common';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Label, LabelInput, LabelsImported, LabelsInput } from '#lib/contracts/label';
import type { Page, PageQuery } from '#lib/contracts/page';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { deleteLabel, storeLabels } from '#lib/judge/rows/store-labels';
import { LabelRepository } from '#lib/judge/rows/labels';
import { parseResultId } from '#lib/db/read/result-rows';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { Upload } from '../platform/upload.js';
import { faultOf, NO_RESULT, numberLabels, readLabelLines, refuseLabels, type NumberedLabel } from './label-lines.js';

const ERRORED = 'errored: it has no reply to label';

/** Labels that users give to results. They do not change scores. */
@Injectable()
export class LabelService {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  list(
    { teamId, userId }: Caller,
    runId: string,
    page: PageQuery & { resultId: string | undefined },
  ): Promise<Page<Label>> {
    return new LabelRepository(this.pool, teamId, userId).list(runId, page);
  }

  /** @throws ProblemError 404, 422 for a result that errored */
  put(caller: Caller, runId: string, resultId: string, { label, note }: LabelInput, change: Change): Promise<Label> {
    const { teamId, userId } = caller;
    const item = parseResultId(resultId);
    if (!item) throw notFound('result', resultId);
    return change(async (client) => {
      const given = { ...item, label, note: note || null };
      const whyNot = (await storeLabels(client, { teamId, userId, runId }, [given])).get(0);
      if (whyNot === 'missing') throw notFound('result', resultId);
      if (whyNot === 'errored') throw new ProblemError(422, `The result "${resultId}" ${ERRORED}.`);
      await audit(client, caller, 'label.put', `${runId} ${resultId}`);
      return new LabelRepository(client, teamId, userId).readOwn(runId, resultId);
    });
  }

  /** @throws ProblemError 404 */
  delete(caller: Caller, runId: string, resultId: string, change: Change): Promise<void> {
    const { teamId, userId } = caller;
    return change(async (client) => {
      await deleteLabel(client, { teamId, userId, runId }, resultId);
      await audit(client, caller, 'label.delete', `${runId} ${resultId}`);
    });
  }

  /** @throws ProblemError 404, 422 naming each invalid line */
  async import(
    caller: Caller,
    runId: string,
    body: LabelsInput | string | Upload,
    change: Change,
  ): Promise<LabelsImported> {
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
      await audit(client, caller, 'label.import', runId);
      return { labels: labels.length };
    });
  }
}
