import { Controller, Get, Inject, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AuditEntry, AuditFilter, AuditQuery } from '#lib/contracts/audit';
import { ProblemError } from '#lib/contracts/input/problem';
import { pageOf } from '#lib/contracts/page';
import { audit } from '#lib/db/catalogue/audit';
import { isOperator, type Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { readAudit, type AuditScope } from '#lib/db/read/audit';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { streamOf } from '../platform/answer-memory.js';
import { About, AlsoAnswers, Answers, idCursor, Me, Needs } from '../platform/decorators.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { POOL } from '../platform/stores.js';
import { ExportTurns } from '../results/export-turns.js';

const MAX_WAITING = 30;
const PAGE_SIZE = 500;
const LINE =
  '{"id":"019aa8a2-5c1e-7000-8000-000000000041","at":"2026-11-22T10:00:00.000Z","action":"provider.update",' +
  '"subject":"openai","changes":[{"field":"limits.max_concurrency","before":4,"after":8}],"count":1}\n';

/** Who changed what, and what was refused, for owners. */
@Controller('api/audit')
export class AuditController {
  /** By team. A filter that matches little reads thousands of entries, and holds a connection meanwhile. */
  readonly #lists = new KeyedSemaphore(
    2,
    MAX_WAITING,
    `${MAX_WAITING} requests for the audit of this team are queued already. Try again when some are done.`,
  );
  readonly #exports = new ExportTurns();

  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Get()
  @About(
    'List the audit',
    'Who changed what in the team, what workers changed and why, and what was refused, the newest first. With a ' +
      'filter, a page may hold fewer entries than `limit`, or none: read on until `next_cursor` is null. Owners of ' +
      'the team `default`, who operate the installation, also see what belongs to no team, such as unknown tokens ' +
      'and sign-ins that failed, and read the audit of another team with `team_id`.',
  )
  @Needs('owner')
  @Answers(200, pageOf(AuditEntry), 403, 429)
  list(@Me() caller: Caller, @Query({ schema: AuditQuery }) { limit, cursor, team_id, ...filter }: AuditQuery) {
    const scope = scopeOf(caller, team_id);
    const page = { limit, cursor: idCursor(cursor) };
    return this.#lists.run(caller.teamId, () => readAudit(this.pool, scope, filter, page));
  }

  @Get('export')
  @AlsoAnswers({ 'application/x-ndjson': LINE })
  @About(
    'Export the audit',
    'All entries, or those that a filter selects, the newest first: JSON Lines, streamed for an audit of any size. ' +
      'The export is an entry itself.',
  )
  @Needs('owner')
  @Answers(200, undefined, 403, 429)
  async export(
    @Me() caller: Caller,
    @Query({ schema: AuditFilter }) { team_id, ...filter }: AuditFilter,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const scope = scopeOf(caller, team_id);
    const left = leaveSignal(reply);
    const giveBack = await this.#exports.take(caller.teamId);
    try {
      left.throwIfAborted();
      await audit(this.pool, caller, 'audit.export', scope.teamId, { after: filter });
      void reply.header('content-disposition', 'attachment; filename="toolmark-audit.jsonl"');
      const lines = streamOf(linesOf(this.pool, scope, filter)).once('close', giveBack);
      return new StreamableFile(lines, { type: 'application/x-ndjson; charset=utf-8' });
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

/** A page of entries is read when the client has taken the one before. */
async function* linesOf(
  pool: Pool,
  scope: AuditScope,
  filter: Omit<AuditFilter, 'team_id'>,
): AsyncGenerator<Uint8Array> {
  let cursor: string | undefined;
  do {
    const page = await readAudit(pool, scope, filter, { limit: PAGE_SIZE, cursor });
    if (page.items.length) yield Buffer.from(page.items.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** @throws ProblemError 403 for another team, unless an owner of the team `default` asks */
function scopeOf(caller: Caller, asked: string | undefined): AuditScope {
  const { teamId } = caller;
  if (asked === undefined || asked === teamId) return { teamId, withNobodys: isOperator(caller) };
  if (!isOperator(caller))
    throw new ProblemError(403, 'Only owners of the team "default" read the audit of other teams.');
  return { teamId: asked, withNobodys: false };
}
