import { Link } from '@tanstack/react-router';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { Given, GivenLine } from '../../parts/given';
import { count } from '../../parts/score';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { Outcome } from '../../parts/tune-outcome';

const MODELS_SHOWN = 5;

/** Prompt tunes, with the result of each. */
export function PromptTuneRows({ tunes }: { tunes: PromptTune[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of tunes of prompts">
      <table className="tune-rows">
        <thead>
          <tr>
            <th>Suite</th>
            <th>Status</th>
            <th>Mode</th>
            <th className="number">Candidates</th>
            <th>Models, and what was found</th>
            <th>Submitted</th>
          </tr>
        </thead>
        <tbody>
          {tunes.map((tune) => (
            <PromptTuneRow key={tune.id} tune={tune} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PromptTuneRow({ tune }: { tune: PromptTune }) {
  const { targets, outcome, text } = tune;
  return (
    <tr>
      <td className="named">
        <Link to="/tunes/prompts/$tuneId" params={{ tuneId: tune.id }}>
          <GivenLine text={`${tune.suite_name}, version ${tune.suite_version}`} />
        </Link>
      </td>
      <td>
        <Status status={tune.status} />
      </td>
      <td>{tune.input.mode}</td>
      <td className="number">{count(tune.candidates)}</td>
      <td>
        <div className="found">
          {targets.slice(0, MODELS_SHOWN).map((target) => (
            <GivenLine key={target} text={target} />
          ))}
          {targets.length > MODELS_SHOWN && <span className="muted">and {targets.length - MODELS_SHOWN} more</span>}
          {outcome !== null && (
            <div>
              <Outcome outcome={outcome} />
            </div>
          )}
          {text !== null && (
            <div className="small muted">
              <Given text={text} max={300} />
            </div>
          )}
        </div>
      </td>
      <td>
        <Time at={tune.created_at} />
      </td>
    </tr>
  );
}
