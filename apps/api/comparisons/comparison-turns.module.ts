import { Module } from '@nestjs/common';
import { ComparisonTurns } from './comparison-turns.js';

/** One `ComparisonTurns` for all that compare; without routes, so that it stands anywhere among the modules. */
@Module({ providers: [ComparisonTurns], exports: [ComparisonTurns] })
export class ComparisonTurnsModule {}
