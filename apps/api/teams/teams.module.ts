import { Module } from '@nestjs/common';
import { SessionsController } from './sessions.controller.js';
import { TeamsController } from './teams.controller.js';
import { TeamService } from './teams.service.js';

@Module({ controllers: [TeamsController, SessionsController], providers: [TeamService] })
export class TeamsModule {}
