import { Controller, Get, Inject, Query } from '@nestjs/common';
import { SearchAnswer, SearchQuery } from '#lib/contracts/search';
import { Trends, TrendsQuery } from '#lib/contracts/trend';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { SearchRepository } from '#lib/db/read/search';
import { TrendRepository } from '#lib/db/read/trends';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { About, Answers, idCursor, Me } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';

const MAX_WAITING = 30;

/** Finds things by name, and shows how scores went. */
@Controller('api')
export class SearchController {
  /** By team. A search may take a second, and holds a connection meanwhile. */
  readonly #searches = new KeyedSemaphore(
    2,
    MAX_WAITING,
    `${MAX_WAITING} searches of this team are queued already. Try again when some are done.`,
  );

  constructor(@Inject(POOL) readonly pool: Pool) {}

  /** @throws ProblemError 429 when too many searches of the team are waiting */
  @Get('search')
  @About(
    'Search by name',
    'Runs, suites, cases, models, experiments, gates and prompt versions whose names, notes or ids have all words. ' +
      'Searches the newest 20,000 of each, and 10,000 cases of the newest suites, for a second at most.',
  )
  @Answers(200, SearchAnswer, 429)
  search(@Me() { teamId }: Caller, @Query({ schema: SearchQuery }) query: SearchQuery): Promise<SearchAnswer> {
    return this.#searches.run(teamId, () => new SearchRepository(this.pool, teamId).find(query));
  }

  @Get('trends')
  @About(
    'Read how scores went',
    'The newest completed runs of each suite, with the score of each model. With `experiment_id`, `model`, `part`, ' +
      '`from`, `to` or `points`, the history of a suite over any number of runs, thinned to those that tell how it ' +
      'went.',
  )
  @Answers(200, Trends, 404)
  trends(@Me() { teamId }: Caller, @Query({ schema: TrendsQuery }) query: TrendsQuery): Promise<Trends> {
    return new TrendRepository(this.pool, teamId).list({ ...query, cursor: idCursor(query.cursor) });
  }
}
