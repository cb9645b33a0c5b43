import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { GivenLine } from '../../parts/given';
import { percent } from '../../parts/score';
import { configText } from './arm-settings';

/** The best arms over all models, for a single choice for all. */
export function BestOverModels({ best }: { best: ParamTune['best_over_models'] }) {
  if (best.length === 0) return null;
  return (
    <section aria-labelledby="best" className="section">
      <h2 id="best">Best over all models</h2>
      <div className="wide" tabIndex={0} role="region" aria-label="Combinations with the best means over all models">
        <table>
          <thead>
            <tr>
              <th className="number">No.</th>
              <th>Combination</th>
              <th className="number">Mean over the models</th>
            </tr>
          </thead>
          <tbody>
            {best.map(({ arm, config, mean }) => (
              <tr key={arm}>
                <td className="number">{arm}</td>
                <td>
                  <GivenLine text={configText(config as JsonObject)} />
                </td>
                <td className="number">{percent(mean)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
