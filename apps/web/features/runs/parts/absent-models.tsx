import { Link } from '@tanstack/react-router';
import { count } from '../../../ui/amounts';
import { ModelName } from '../../providers/parts/model-name';
import css from './cost-quality.module.css';
import type { Absence, Trades } from './trade-off';

const NAMED = 3;

/** The models that a picture has no place for, by the reason. */
export function AbsentModels({ absent }: Pick<Trades, 'absent'>) {
  const reasons = [...new Set(absent.map(({ why }) => why))];
  return reasons.map((why) => {
    const targets = [...new Set(absent.filter((one) => one.why === why).map(({ target }) => target))];
    return (
      <p key={why} className={`muted small ${css.absent}`}>
        <span>
          {WORDS[why]}: {count(targets.length)} {targets.length === 1 ? 'model' : 'models'}
        </span>
        {targets.slice(0, NAMED).map((target) => (
          <ModelName key={target} target={target} />
        ))}
        {targets.length > NAMED && <span>…</span>}
        {why === 'no price' && <PricesLink targets={targets} />}
      </p>
    );
  });
}

const WORDS: Record<Absence, string> = {
  'not scored': 'Nothing scored',
  'no price': 'No price',
  'stored replies only': 'Stored replies only',
  'not timed': 'Not timed',
};

function PricesLink({ targets }: { targets: readonly string[] }) {
  const keys = [...new Set(targets.map((target) => target.slice(0, target.indexOf('::'))))];
  const [providerKey = ''] = keys;
  return keys.length === 1 ? (
    <Link to="/operate/providers/$providerKey" params={{ providerKey }}>
      Set prices
    </Link>
  ) : (
    <Link to="/operate/providers">Set prices</Link>
  );
}
