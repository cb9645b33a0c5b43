import { Inject, Injectable } from '@nestjs/common';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Team, Token, TokenInput } from '#lib/contracts/team';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { createTeam, listTeams } from '#lib/db/catalogue/teams';
import { TokenRepository } from '#lib/db/catalogue/tokens';
import type { Pool } from '#lib/db/connection/pool';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';

/** A token with its secret. */
type NewToken = Token & { token: string };

/** Teams and their tokens. The secret of a token is only in the response that creates it. */
@Injectable()
export class TeamService {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Team>> {
    return listTeams(this.pool, caller, { limit, cursor });
  }

  async create(caller: Caller, name: string, change: Change): Promise<Team & { token: NewToken }> {
    if (caller.teamName !== 'default') throw new ProblemError(403, 'Only owners of the team "default" create teams.');
    return change(async (client) => {
      const { team, token, secret } = await createTeam(client, name);
      await audit(client, caller, 'team.create', team.id);
      return { ...team, token: { ...token, token: secret } };
    });
  }

  listTokens({ teamId }: Caller, limit: number, cursor: string | undefined): Promise<Page<Token>> {
    return new TokenRepository(this.pool, teamId).list({ limit, cursor });
  }

  async createToken(caller: Caller, input: TokenInput, change: Change): Promise<NewToken> {
    if (input.expires_at !== null && Date.parse(input.expires_at) <= Date.now())
      throw new ProblemError(422, 'The token would already be expired.', [
        { path: '/expires_at', message: 'must be in the future, or null for a token that does not expire' },
      ]);
    return change(async (client) => {
      const tokens = new TokenRepository(client, caller.teamId);
      const { token, secret } = await tokens.create(input.user ?? caller.userName, input);
      await audit(client, caller, 'token.create', token.id);
      return { ...token, token: secret };
    });
  }

  deleteToken(caller: Caller, tokenId: string, change: Change): Promise<void> {
    return change(async (client) => {
      const outcome = await new TokenRepository(client, caller.teamId).delete(tokenId);
      if (outcome === 'not-found') throw notFound('token', tokenId);
      if (outcome === 'last-owner')
        throw new ProblemError(
          409,
          'This is the last owner token that does not expire: nobody could create another. Create one first.',
        );
      await audit(client, caller, 'token.delete', tokenId);
    });
  }
}
