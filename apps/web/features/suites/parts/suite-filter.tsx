import { useQuery } from '@tanstack/react-query';
import { suiteHeadsQuery } from '../api';
import { FilterChoice } from '../../../ui/filter-choice';
import { visible } from '../../../ui/user-text';

interface SuiteFilterProps {
  suite: string | undefined;
  choose: (suite: string | undefined) => void;
}

/** The suite filter of a list. A suite that is not among the listed ones is shown by its id. */
export function SuiteFilter({ suite, choose }: SuiteFilterProps) {
  const suites = useQuery(suiteHeadsQuery);
  const choices = suites.data?.items.map(({ id, name }) => [id, visible(name)] as const) ?? [];
  return <FilterChoice label="Suite" choices={choices} none="all" value={suite} choose={choose} />;
}
