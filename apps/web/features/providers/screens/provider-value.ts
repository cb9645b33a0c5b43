import { PRICE_FIELDS, pricesOf, type FindPrices, type Prices } from '#lib/contracts/find-prices';
import { isNumber, isObject, toNumber, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Provider, ProviderTemplate } from '#lib/contracts/provider';
import { accessRequest, type Access } from './access-value.js';

export const EMPTY_PROVIDER: JsonObject = {
  key: '',
  name: '',
  kind: 'openai',
  base_url: '',
  limits: { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 8 },
  models: [],
};

/** A price without the error of its binary form: 0.3, not 0.30000000000000004. */
const DIGITS = 12;
const rounded = (price: Json): Json => (isNumber(price) ? Number(toNumber(price).toPrecision(DIGITS)) : price);

/** The editable part of a stored provider. */
export function storedProvider({ name, kind, base_url, limits, models }: Provider): JsonObject {
  const stored = { name, kind, base_url, limits, models } as unknown as JsonObject;
  const shown = (model: Json): Json =>
    isObject(model)
      ? { ...model, ...Object.fromEntries(PRICE_FIELDS.map((field) => [field, rounded(model[field] ?? null)])) }
      : model;
  return { ...stored, models: (stored.models as Json[]).map(shown) };
}

/** Applies a host's template over the input. Models are kept. */
export const withTemplate = (value: JsonObject, { key, name, kind, base_url: url }: ProviderTemplate): JsonObject => ({
  ...value,
  key,
  name,
  kind,
  base_url: url,
});

const NO_PRICES = Object.fromEntries(PRICE_FIELDS.map((field) => [field, null]));

/** A new model of an endpoint, with its known prices. */
export const newModel = (id: string, find: FindPrices = () => undefined): JsonObject => ({
  id,
  name: id,
  ...withPrices({}, find(id)),
  unsupported_params: [],
  default_params: {},
  limits: null,
});

/** A model with these prices, or without prices. */
export const withPrices = (model: JsonObject, known: Prices | undefined): JsonObject => ({
  ...model,
  ...(known ? pricesOf(known) : NO_PRICES),
});

/** Whether a model's prices are those of the table (or absent from both), and so were not typed by hand. */
export const hasPricesOf = (model: JsonObject, known: Prices | undefined): boolean =>
  PRICE_FIELDS.every((field) => {
    const price = model[field] ?? null;
    return price === null ? (known?.[field] ?? null) === null : toNumber(price) === known?.[field];
  });

/** A model with another id. Prices from the table, and missing prices, are replaced by those of the new id. */
export function renamed(model: JsonObject, id: string, find: FindPrices): JsonObject {
  const isTyped = !hasPricesOf(model, undefined) && !hasPricesOf(model, find(toText(model.id)));
  const named = { ...model, id };
  return isTyped ? named : withPrices(named, find(id));
}

/** An empty limit means none; the number of concurrent requests is required. */
const wholeLimits = (limits: Json): Json =>
  isObject(limits) ? { requests_per_minute: null, tokens_per_minute: null, ...limits } : limits;

/** An empty name is omitted: the API uses the id. */
function wholeModel(model: Json): Json {
  if (!isObject(model)) return model;
  const { name, limits = null, ...rest } = model;
  return { ...rest, ...(name !== undefined && name !== '' && { name }), limits: wholeLimits(limits) };
}

function whole(value: JsonObject): JsonObject {
  const { limits, models, ...rest } = value;
  return {
    ...rest,
    ...(limits !== undefined && { limits: wholeLimits(limits) }),
    ...(Array.isArray(models) && { models: models.map(wholeModel) }),
  };
}

/** The text of a ProviderInput. */
export function inputOf(value: JsonObject, access: Access): string {
  const { name, ...rest } = whole(value);
  return stringifyInSourceOrder({
    ...rest,
    ...(name !== undefined && name !== '' && { name }),
    ...accessRequest(access),
  });
}

/** The text of a ProviderPatch: the differences from the stored provider. */
export function patchOf(value: JsonObject, stored: JsonObject, access: Access): string {
  const [now, before] = [whole(value), whole(stored)];
  const changed = Object.entries(now).filter(
    ([field, inner]) => stringifyInSourceOrder(inner) !== stringifyInSourceOrder(before[field] ?? null),
  );
  return stringifyInSourceOrder({ ...Object.fromEntries(changed), ...accessRequest(access) });
}

export const idsOf = (value: JsonObject): Set<string> =>
  new Set(
    Array.isArray(value.models)
      ? value.models.flatMap((model) => (isObject(model) && typeof model.id === 'string' ? [model.id] : []))
      : [],
  );
