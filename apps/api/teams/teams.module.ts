import { Module } from '@nestjs/common';
import { SessionsController } from './sessions.controller.js';
import { TeamsController } from './teams.controller.js';

@Module({ controllers: [TeamsController, SessionsController] })
export class TeamsModule {}
