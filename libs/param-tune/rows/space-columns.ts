import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { TuneArm, TuneSpace } from '../contract.js';

type Figures = Pick<TuneArm, 'cases' | 'samples' | 'errored' | 'mean' | 'ci' | 'cost_usd' | 'latency_p50_ms'>;

/** An arm as a space reads it; its JSON is text. */
export interface SpaceRow {
  target: number;
  config: string;
  adjusted: boolean;
  same_as: number | null;
  state: TuneSpace['stages'][number]['state'];
  rung: string | null;
  tied: boolean;
  figures: string | null;
}

/** Values in the order in which they came, each with its place. */
class Places<Value> {
  readonly all: Value[] = [];
  readonly #placeOf = new Map<string, number>();

  of(key: string, value: () => Value): number {
    const known = this.#placeOf.get(key);
    if (known !== undefined) return known;
    this.#placeOf.set(key, this.all.length);
    return this.all.push(value()) - 1;
  }
}

/** The arms of a tune in columns, in which what many arms share is listed once. */
export class SpaceColumns {
  readonly #parameters = new Places<{ name: string; values: Places<Json> }>();
  readonly #stages = new Places<TuneSpace['stages'][number]>();
  readonly #models: TuneSpace['models'];

  constructor(targets: readonly string[]) {
    this.#models = targets.map((target) => ({
      ...{ target, values: [], same_as: [], stage: [], cases: [], samples: [], errored: [] },
      ...{ mean: [], ci: [], cost_usd: [], latency_p50_ms: [] },
    }));
  }

  /** Adds the next arm of its model. */
  add({ target, config, adjusted, same_as: sameAs, state, rung, tied, figures }: SpaceRow): void {
    const model = this.#models[target]!;
    model.values.push(this.#placesOf(parseJson(config) as JsonObject));
    model.same_as.push(sameAs);
    model.stage.push(this.#stages.of(`${state} ${tied} ${adjusted} ${rung}`, () => ({ state, rung, tied, adjusted })));
    const found = figures === null ? undefined : (JSON.parse(figures) as Figures);
    model.cases.push(found?.cases ?? 0);
    model.samples.push(found?.samples ?? 0);
    model.errored.push(found?.errored ?? 0);
    model.mean.push(rounded(found?.mean));
    model.ci.push(found?.ci ? [rounded(found.ci[0])!, rounded(found.ci[1])!] : null);
    model.cost_usd.push(rounded(found?.cost_usd));
    model.latency_p50_ms.push(found?.latency_p50_ms == null ? null : Math.round(found.latency_p50_ms));
  }

  finish(): TuneSpace {
    const parameters = this.#parameters.all.map(({ name, values }) => ({ name, values: values.all }));
    return { parameters, stages: this.#stages.all, models: this.#models };
  }

  #placesOf(config: JsonObject): (number | null)[] {
    const places: (number | null)[] = [];
    for (const [name, value] of Object.entries(config)) {
      const parameter = this.#parameters.of(name, () => ({ name, values: new Places<Json>() }));
      while (places.length < parameter) places.push(null);
      places[parameter] = this.#parameters.all[parameter]!.values.of(JSON.stringify(value), () => value);
    }
    return places;
  }
}

/** To six digits, as no picture shows more. */
const rounded = (value: number | null | undefined): number | null =>
  value == null ? null : Number(value.toPrecision(6));
