import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import {
  Invitation,
  InvitationAcceptance,
  InvitationInput,
  InvitationSecret,
  Joined,
  NewInvitation,
  ReadInvitation,
} from '#lib/contracts/people';
import { INVITATION_PATH } from '#lib/contracts/values/team';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { acceptInvitation, InvitationRepository, readInvitation } from '#lib/db/catalogue/invitations';
import { inTransaction, type Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { CallerLimits } from '../platform/caller-limits.js';
import { About, Answers, Changes, idCursor, Me, Needs, Open, uuid, type Change } from '../platform/decorators.js';
import { originOf } from '../platform/own-page.js';
import { factsOf } from '../platform/request-source.js';
import { ENV, POOL } from '../platform/stores.js';
import { inDays } from './token-rules.js';

/** Links that make people members of a team. */
@Controller('api/invitations')
export class InvitationsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    readonly limits: CallerLimits,
  ) {}

  @Get()
  @About('List the invitations of the team', 'The newest first, without their links. Withdrawn ones are left out.')
  @Needs('owner')
  @Answers(200, pageOf(Invitation))
  list(@Me() { teamId }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new InvitationRepository(this.pool, teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post()
  @About('Invite a person', 'Only this response contains the link. Whoever opens it first joins the team, once.')
  @Needs('owner')
  @Answers(201, NewInvitation, 409)
  create(
    @Me() caller: Caller,
    @Body({ schema: InvitationInput }) input: InvitationInput,
    @Req() { raw }: FastifyRequest,
    @Changes() change: Change,
  ): Promise<z.infer<typeof NewInvitation>> {
    return change(async (client) => {
      const { invitation, secret } = await new InvitationRepository(client, caller.teamId).create(caller.userId, input);
      const { role, note, expires_at } = invitation;
      await audit(client, caller, 'invitation.create', invitation.id, { after: { role, note, expires_at } });
      const origin = this.env.TOOLMARK_PUBLIC_URL ?? originOf(raw);
      return { ...invitation, url: `${origin}${INVITATION_PATH}${secret}` };
    });
  }

  @Delete(':id')
  @About('Withdraw an invitation', 'Its link stops working at once.')
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  withdraw(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const invitationId = uuid('invitation', id);
    return change(async (client) => {
      const before = await new InvitationRepository(client, caller.teamId).withdraw(invitationId);
      await audit(client, caller, 'invitation.delete', invitationId, { before });
    });
  }

  @Post('read')
  @About('Read an invitation', 'What whoever has the link is offered. Says so if it was used, withdrawn or is too old.')
  @Open('everybody')
  @Answers(200, ReadInvitation, 404, 409)
  async read(
    @Body({ schema: InvitationSecret }) { invitation }: InvitationSecret,
    @Req() request: FastifyRequest,
  ): Promise<z.infer<typeof ReadInvitation>> {
    const { teamName, role, invitedBy, expiresAt } = await readInvitation(this.pool, invitation).catch(
      this.#countWrong(request),
    );
    return { team: teamName, role, invited_by: invitedBy, expires_at: expiresAt.toISOString() };
  }

  @Post('accept')
  @About(
    'Join a team without signing in',
    'Where no provider of sign-in is configured: makes a member with a token. Only this response contains the ' +
      'secret. Elsewhere people sign in with the link.',
  )
  @Open('everybody')
  @Answers(201, Joined, 404, 409)
  async accept(
    @Body({ schema: InvitationAcceptance }) { invitation, name }: InvitationAcceptance,
    @Req() request: FastifyRequest,
  ): Promise<z.infer<typeof Joined>> {
    if (this.env.TOOLMARK_SIGN_IN_FILE !== undefined)
      throw new ProblemError(409, 'People sign in here. Open the link of the invitation in a browser.').as(
        'sign_in_needed',
      );
    const { token, secret } = await inTransaction(this.pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '5s'`);
      return acceptInvitation(client, {
        secret: invitation,
        name,
        tokenExpiresAt: inDays(this.env.TOOLMARK_TOKEN_DAYS),
        by: { request: factsOf(request) },
      });
    }).catch(this.#countWrong(request));
    return { token: { ...token, token: secret } };
  }

  /** An invitation that does not exist counts as a failed sign-in. */
  #countWrong = (request: FastifyRequest) => async (error: unknown) => {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error;
    throw await this.limits.failed(request, () => error);
  };
}
