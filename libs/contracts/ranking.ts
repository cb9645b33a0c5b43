import { z } from 'zod';

export const RankedModel = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  rank: z.tuple([z.int(), z.int()]).meta({
    description:
      'Its highest and its lowest possible rank, from 1: behind all models that are shown to be better, and before ' +
      'all that are shown to be worse. Models that cannot be told apart have ranks in common.',
  }),
});

export const Ranking = z
  .object({
    text: z
      .string()
      .nullable()
      .meta({
        description:
          'What the two models with the highest means differ by, in a sentence; null for one model, and while the ' +
          'run goes on.',
      }),
    items: z.array(RankedModel).meta({ description: 'The models, those with the highest means first.' }),
  })
  .meta({
    id: 'Ranking',
    description: 'The models of a run in their order, each with the ranks that its results leave open.',
  });
export type Ranking = z.infer<typeof Ranking>;
