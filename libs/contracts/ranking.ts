import { z } from 'zod';
import { named } from './named.js';

const RankedModel = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  rank: z
    .tuple([z.int(), z.int()])
    .nullable()
    .describe(
      'Null while it has only part of its results: they may be its easier ones. Else its highest and its lowest ' +
        'possible rank, from 1: behind all models that are shown to be better, and before ' +
        'all that are shown to be worse. Models that cannot be distinguished share ranks.',
    ),
});

export const Ranking = named('Ranking', 'The models of a run in order, each with its possible ranks.', {
  text: z
    .string()
    .nullable()
    .describe(
      'The difference between the two models with the highest means, in a sentence; null for one model, and while ' +
        'the run is unfinished.',
    ),
  items: z.array(RankedModel).describe('The models, those with the highest means first.'),
});
export type Ranking = z.infer<typeof Ranking>;
