import { Body, Controller, Get, Inject, Param, Patch, Put, Query } from '@nestjs/common';
import { Marked, Marks, MarksInput, MarksQuery, OwnTags, OwnTagsQuery, View, ViewInput } from '#lib/contracts/kept';
import { notFound } from '#lib/contracts/input/problem';
import { pageOf } from '#lib/contracts/page';
import { MARKED_KINDS, VIEW_LISTS, type MarkedKind, type ViewList } from '#lib/contracts/values/kept';
import type { Caller } from '#lib/db/catalogue/callers';
import { audit } from '#lib/db/catalogue/audit';
import { KeptViewRepository } from '#lib/db/catalogue/kept-views';
import { MarkRepository } from '#lib/db/catalogue/marks';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';

/** What a user keeps: views of lists, tags, and what their lists leave out. Nobody else sees it. */
@Controller('api/me')
export class KeptController {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Get('views/:list')
  @About('Read your view of a list', 'Its filters, order and columns, as you last kept them. An empty one at first.')
  @Answers(200, View, 404)
  view(@Me() { teamId, userId }: Caller, @Param('list') list: string) {
    return new KeptViewRepository(this.pool, teamId, userId).read(listOf(list));
  }

  @Put('views/:list')
  @About('Keep your view of a list', 'In place of the earlier one.')
  @Needs('viewer')
  @Answers(200, View, 404)
  keepView(
    @Me() caller: Caller,
    @Param('list') list: string,
    @Body({ schema: ViewInput }) view: ViewInput,
    @Changes() change: Change,
  ): Promise<View> {
    const name = listOf(list);
    return change(async (client) => {
      const { before, kept } = await new KeptViewRepository(client, caller.teamId, caller.userId).write(name, view);
      await audit(client, caller, 'view.put', name, { before, after: view });
      return kept;
    });
  }

  @Get('marks')
  @About('List your marks', 'Runs, suites and experiments that you have tagged or archived, the newest first.')
  @Answers(200, pageOf(Marked))
  marks(@Me() caller: Caller, @Query({ schema: MarksQuery }) { cursor, ...query }: MarksQuery) {
    return this.#marks(caller).list({ ...query, cursor: idCursor(cursor) });
  }

  @Get('tags')
  @About('List your tags', 'With the number of things that have each.')
  @Answers(200, OwnTags)
  tags(@Me() caller: Caller, @Query({ schema: OwnTagsQuery }) { kind }: OwnTagsQuery) {
    return this.#marks(caller).tags(kind);
  }

  @Patch('marks/:kind/:id')
  @About(
    'Tag or archive a run, a suite or an experiment',
    'For yourself: your lists leave out what you have archived, unless they ask for it (`archived`), and find what ' +
      'you have tagged (`tag`). Others still see it.',
  )
  @Needs('viewer')
  @Answers(200, Marks, 404)
  mark(
    @Me() caller: Caller,
    @Param('kind') kind: string,
    @Param('id') id: string,
    @Body({ schema: MarksInput }) marks: MarksInput,
    @Changes() change: Change,
  ): Promise<Marks> {
    const known = kindOf(kind);
    const subject = uuid(known, id);
    return change(async (client) => {
      const changed = await this.#marks(caller, client).change(known, subject, marks);
      await audit(client, caller, 'mark.update', `${known} ${subject}`, changed);
      return changed.after;
    });
  }

  #marks({ teamId, userId }: Caller, db: Pool | PoolClient = this.pool): MarkRepository {
    return new MarkRepository(db, teamId, userId);
  }
}

/** @throws ProblemError 404 */
function listOf(name: string): ViewList {
  const list = VIEW_LISTS.find((one) => one === name);
  if (list === undefined) throw notFound('list', name.slice(0, 100));
  return list;
}

/** @throws ProblemError 404 */
function kindOf(name: string): MarkedKind {
  const kind = MARKED_KINDS.find((one) => one === name);
  if (kind === undefined) throw notFound('kind of marks', name.slice(0, 100));
  return kind;
}
