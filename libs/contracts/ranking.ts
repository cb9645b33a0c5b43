import { z } from 'zod';

export const RankedModel = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  rank: z.tuple([z.int(), z.int()]).meta({
    description:
      'Its highest and its lowest possible rank, from 1: behind all models that are shown to be better, and before ' +
      'all that are shown to be worse. Models that cannot be distinguished share ranks.',
  }),
});

export const Ranking = z
  .object({
    text: z
      .string()
      .nullable()
      .meta({
        description:
          'The difference between the two models with the highest means, in a sentence; null for one model, and while the ' +
          'run is unfinished.',
      }),
    items: z.array(RankedModel).meta({ description: 'The models, those with the highest means first.' }),
  })
  .meta({
    id: 'Ranking',
    description: 'The models of a run in order, each with its possible ranks.',
  });
export type Ranking = z.infer<typeof Ranking>;
