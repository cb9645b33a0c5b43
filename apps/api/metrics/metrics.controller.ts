import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { MetricInfo } from '#lib/contracts/metric';
import { pageOf } from '#lib/contracts/page';
import { METRICS } from '#lib/scoring/metrics';
import { About, Answers } from '../platform/decorators.js';

const items = METRICS.map(({ id, reference, version, meaning, options, input, example, notInRuns }) => ({
  id,
  reference,
  version,
  meaning,
  options: z.toJSONSchema(options, { io: 'input' }),
  input: z.toJSONSchema(input, { io: 'input' }),
  example: { metric: id, ...example },
  not_in_runs: notInRuns,
}));

@Controller('api/metrics')
export class MetricsController {
  @Get()
  @About(
    'List metrics',
    'The metrics that runs can compute in addition to the house score, each with its reference and its ' +
      'options. All are on one page.',
  )
  @Answers(200, pageOf(MetricInfo))
  list() {
    return { items, next_cursor: null };
  }
}
