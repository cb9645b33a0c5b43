import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { TuneArm, TuneSpace } from '#lib/param-tune/contract';

/** An arm as pictures and lists show it; its request and its runs are read when it is opened. */
export interface Arm extends Pick<
  TuneArm,
  | 'arm'
  | 'target'
  | 'config'
  | 'same_as'
  | 'state'
  | 'rung'
  | 'tied'
  | 'cases'
  | 'samples'
  | 'errored'
  | 'mean'
  | 'ci'
  | 'cost_usd'
  | 'latency_p50_ms'
> {
  /** Whether the provider does not accept one of its settings unchanged. */
  adjusted: boolean;
}

/** The arms that the columns of a space describe, by model and number. */
export const armsIn = ({ parameters, stages, models }: TuneSpace): Arm[] =>
  models.flatMap((model) =>
    model.values.map((places, arm) => ({
      arm,
      target: model.target,
      config: configOf(places, parameters),
      ...stages[model.stage[arm]!]!,
      same_as: model.same_as[arm]!,
      cases: model.cases[arm]!,
      samples: model.samples[arm]!,
      errored: model.errored[arm]!,
      mean: model.mean[arm]!,
      ci: model.ci[arm]!,
      cost_usd: model.cost_usd[arm]!,
      latency_p50_ms: model.latency_p50_ms[arm]!,
    })),
  );

const configOf = (places: readonly (number | null)[], parameters: TuneSpace['parameters']): JsonObject =>
  Object.fromEntries(
    places.flatMap((place, n): [string, Json][] => {
      const { name, values } = parameters[n]!;
      return place === null ? [] : [[name, values[place]!]];
    }),
  );
