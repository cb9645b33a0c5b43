import { Module } from '@nestjs/common';
import { TeamsController } from './teams.controller.js';
import { TeamService } from './teams.service.js';

@Module({ controllers: [TeamsController], providers: [TeamService] })
export class TeamsModule {}
