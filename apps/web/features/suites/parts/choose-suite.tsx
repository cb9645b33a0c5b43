import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import { ErrorNotice } from '../../../ui/notices';
import { edit } from '../../../ui/form/edited';
import { ChoiceField } from '../../../ui/form/fields';
import { type At, pathOf, useField, useForm } from '../../../ui/form/json-form';
import { FilterChoice } from '../../../ui/filters';
import { visible } from '../../../ui/user-text';
import { suiteHeadsQuery } from '../api';

interface Props {
  path: At;
  /** The places of what belongs to the previously chosen suite. They become null. */
  forgets?: readonly At[];
}

/** One of the suites. */
export function ChooseSuite({ path, forgets = [] }: Props) {
  const { data, error, refetch } = useQuery(suiteHeadsQuery);
  const { edited, change } = useForm();
  const suite = toText(useField(path).value ?? '');
  const chosen = data?.items.find(({ id }) => id === suite);
  return (
    <>
      {error && <ErrorNotice error={error} retry={refetch} />}
      <ChoiceField
        path={path}
        label="Suite"
        help={chosen && `Version ${chosen.version}, with ${chosen.test_cases_count} cases.`}
        none="choose"
        options={(data?.items ?? []).map(({ id, name }) => [id, name])}
        onChoose={(next) =>
          change(forgets.reduce((all, at) => edit(all, pathOf(at), null), edit(edited, pathOf(path), next)))
        }
      />
    </>
  );
}

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
