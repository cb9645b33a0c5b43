// The table of docs/scoring.md: the input of each metric, with an example and its score.
import { z } from 'zod';
import { METRICS, scoreMetric } from '../../dist/libs/scoring/metrics.js';
import { code, table } from './tables.mjs';

export const metricInputs = () =>
  table(
    ['metric', 'input', 'one line', 'score'],
    METRICS.map(({ id, input, example }) => {
      const { properties, anyOf: [first] = [] } = z.toJSONSchema(input, { io: 'input' });
      const fields = Object.keys(properties ?? first.properties);
      const line = JSON.stringify({ metric: id, ...example });
      const { score } = scoreMetric(id, example.options, example.input);
      return [code(id), fields.map(code).join(', '), code(line), `${score}`];
    }),
  );
