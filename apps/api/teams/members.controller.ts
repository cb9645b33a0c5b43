import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { Member, MemberPatch, RemovedMember, ServiceAccountInput } from '#lib/contracts/people';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { MemberChanges, MemberRepository } from '#lib/db/catalogue/members';
import type { Pool } from '#lib/db/connection/pool';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';

/** The members of a team: people and service accounts. */
@Controller('api/users')
export class MembersController {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Get()
  @About('List the members of the team', 'The newest first: people and service accounts, with what they last used.')
  @Needs('owner')
  @Answers(200, pageOf(Member))
  list(@Me() { teamId }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new MemberRepository(this.pool, teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post()
  @About(
    'Create a service account',
    'An account for programs. POST /api/tokens makes its tokens; it cannot sign in, and its tokens start no session.',
  )
  @Needs('owner')
  @Answers(201, Member, 409)
  create(
    @Me() caller: Caller,
    @Body({ schema: ServiceAccountInput }) { name, role }: ServiceAccountInput,
    @Changes() change: Change,
  ): Promise<Member> {
    return change(async (client) => {
      const id = await new MemberChanges(client, caller.teamId).addServiceAccount(name, role);
      await audit(client, caller, 'user.create', id, { after: { name, role, kind: 'service' } });
      return new MemberRepository(client, caller.teamId).read(id);
    });
  }

  @Patch(':id')
  @About(
    'Change the role of a member',
    'It holds for tokens and sessions of the member within seconds. Open invitations of an owner who gets another ' +
      'role are withdrawn. Refused for the last owner who can come in, and where a rule of sign-in gives the role.',
  )
  @Needs('owner')
  @Answers(200, Member, 404, 409)
  changeRole(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: MemberPatch }) { role }: MemberPatch,
    @Changes() change: Change,
  ): Promise<Member> {
    const userId = uuid('member', id);
    return change(async (client) => {
      const before = await new MemberChanges(client, caller.teamId).changeRole(userId, role);
      await audit(client, caller, 'user.update', userId, { before: { role: before }, after: { role } });
      return new MemberRepository(client, caller.teamId).read(userId);
    });
  }

  @Delete(':id')
  @About(
    'Remove a member',
    'Within seconds, the tokens of the member are gone, and the sessions are in other teams or have ended. What the ' +
      'member made stays. Only an invitation brings a person back. Refused for the last owner who can come in.',
  )
  @Needs('owner')
  @Answers(200, RemovedMember, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<RemovedMember> {
    const userId = uuid('member', id);
    return change(async (client) => {
      const { runningJobs, before } = await new MemberChanges(client, caller.teamId).remove(userId);
      await audit(client, caller, 'user.delete', userId, { before });
      return { running_jobs: runningJobs };
    });
  }
}
