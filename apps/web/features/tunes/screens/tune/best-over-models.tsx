import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { UserLine } from '../../../../ui/user-text';
import { percent } from '../../../../ui/score';
import { configText } from './arm-settings';
import { Table } from '../../../../ui/table';

/** The best arms over all models, for a single choice for all. */
export function BestOverModels({ best }: { best: ParamTune['best_over_models'] }) {
  if (best.length === 0) return null;
  return (
    <section aria-labelledby="best" className="section">
      <h2 id="best">Best across models</h2>
      <Table
        label="Best combinations across models"
        rows={best}
        keyOf={({ arm }) => arm}
        columns={[
          { name: 'No.', isNumber: true, cell: ({ arm }) => arm },
          { name: 'Combination', cell: ({ config }) => <UserLine text={configText(config as JsonObject)} /> },
          { name: 'Mean across models', isNumber: true, cell: ({ mean }) => percent(mean) },
        ]}
      />
    </section>
  );
}
