import type { Gate } from '#lib/gate/contract';
import type { StoredGate } from '#lib/gate/rows/gates';

export const describeGate = (gate: StoredGate): Gate => ({
  id: gate.id,
  version: gate.version,
  name: gate.name,
  suite_id: gate.suiteId,
  suite_name: gate.suiteName,
  baseline: gate.baseline,
  baseline_eval_id: gate.baselineId,
  ...gate.rules,
  last: gate.last,
  created_at: gate.createdAt.toISOString(),
  updated_at: gate.updatedAt.toISOString(),
});
