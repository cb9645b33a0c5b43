import { Module } from '@nestjs/common';
import { InvitationsController } from './invitations.controller.js';
import { MembersController } from './members.controller.js';
import { OwnController } from './own.controller.js';
import { SessionsController } from './sessions.controller.js';
import { TeamsController } from './teams.controller.js';

@Module({
  controllers: [TeamsController, SessionsController, MembersController, InvitationsController, OwnController],
})
export class TeamsModule {}
