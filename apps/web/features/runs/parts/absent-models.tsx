import { Link } from '@tanstack/react-router';
import { count } from '../../../ui/amounts';
import { cutInMiddle } from '../../../ui/figures/cut';
import { UserText } from '../../../ui/user-text';
import type { ModelNames } from '../../providers/parts/model-names';
import css from './cost-quality.module.css';
import type { Absence, Trades } from './trade-off';

const NAMED = 3;

interface Props extends Pick<Trades, 'absent'> {
  names: ModelNames;
}

/** The models that a picture has no place for, by the reason. */
export function AbsentModels({ absent, names }: Props) {
  const reasons = [...new Set(absent.map(({ why }) => why))];
  return reasons.map((why) => {
    const targets = [...new Set(absent.filter((one) => one.why === why).map(({ target }) => target))];
    const named = targets.slice(0, NAMED).map((target) => cutInMiddle(names.of(target), MAX_NAME));
    return (
      <p key={why} className={`muted small ${css.absent}`} title={targets.slice(0, MAX_TITLED).join(', ')}>
        {WORDS[why]}: {count(targets.length)} {targets.length === 1 ? 'model' : 'models'} (
        {named.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <UserText text={name} />
          </span>
        ))}
        {targets.length > NAMED && ' …'}) {why === 'no price' && <PricesLink targets={targets} />}
      </p>
    );
  });
}

const MAX_NAME = 30;
const MAX_TITLED = 60;

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
