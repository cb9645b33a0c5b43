import { useQuery } from '@tanstack/react-query';
import { suiteHeadsQuery } from '../api/suite-heads';
import { visible } from './given';

interface SuiteFilterProps {
  suite: string | undefined;
  choose: (suite: string | undefined) => void;
}

/** Which suite a list is narrowed to. One that is not among the listed suites stands there by its id. */
export function SuiteFilter({ suite, choose }: SuiteFilterProps) {
  const suites = useQuery(suiteHeadsQuery);
  const isListed = suites.data?.items.some(({ id }) => id === suite);
  return (
    <label>
      Suite{' '}
      <select
        data-filter
        className="bounded"
        value={suite ?? ''}
        onChange={({ target }) => choose(target.value || undefined)}
      >
        <option value="">all</option>
        {suite !== undefined && !isListed && <option value={suite}>{suite}</option>}
        {suites.data?.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
