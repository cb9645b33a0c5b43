import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Gate } from '#lib/gate/contract';

/** A new gate, before any input. */
export const emptyGate = (suite: string, baseline: string | undefined): JsonObject => ({
  name: '',
  suite_id: suite,
  baseline: { eval_id: baseline ?? '' },
  models: null,
  measure: 'overall',
  margin: 0.02,
  floor: null,
  max_errored_share: 0.05,
  critical_tags: [],
  looks: 4,
  max_requests: null,
});

const EDITABLE = Object.keys(emptyGate('', undefined)).filter((key) => key !== 'suite_id') as (keyof Gate)[];

/** The name and rules of a gate, for editing. */
export const editableGate = (gate: Gate): JsonObject =>
  Object.fromEntries(EDITABLE.map((key) => [key, gate[key] as unknown as Json]));

/** Drops empty fields, as the API expects. */
export function gateRequest(value: Json): JsonObject {
  const gate = isObject(value) ? value : {};
  const { floor, models } = gate;
  return {
    ...gate,
    floor: isObject(floor) && (floor.pass_rate !== undefined || isObject(floor.metrics)) ? floor : null,
    models: Array.isArray(models) && models.length > 0 ? models : null,
    critical_tags: gate.critical_tags ?? [],
    max_requests: gate.max_requests ?? null,
  };
}

/** Only changes are sent: omitted fields stay unchanged, and an empty change creates no version. */
export function gateChanges(typed: Json, stored: Json): JsonObject {
  const before = gateRequest(stored);
  const changed = Object.entries(gateRequest(typed)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(changed);
}
