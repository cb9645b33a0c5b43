import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import type { SuiteHead } from '#lib/contracts/suite';
import { count, percent } from '../../../ui/amounts';
import { useLookup, type Option } from '../../../ui/combobox';
import { PickFilter } from '../../../ui/filters';
import { edit } from '../../../ui/form/edited';
import { type At, pathOf, useField, useForm } from '../../../ui/form/json-form';
import { PickField } from '../../../ui/form/pick-field';
import { relativeTime } from '../../../ui/time';
import { suiteChoicesQuery, suiteQuery } from '../api';

/** What a suite is called that was chosen by its id. */
function useSuiteName(suite: string) {
  const { data, isPending } = useQuery({ ...suiteQuery(suite), enabled: suite !== '', retry: false });
  return { suite: data, name: data?.name ?? (isPending ? '' : 'deleted suite') };
}

interface Props {
  path: At;
  /** The places of what belongs to the previously chosen suite. They become null. */
  forgets?: readonly At[];
}

/** One of the suites. */
export function ChooseSuite({ path, forgets = [] }: Props) {
  const { edited, change } = useForm();
  const chosen = toText(useField(path).value ?? '');
  const { suite, name } = useSuiteName(chosen);
  return (
    <PickField
      path={path}
      label="Suite"
      // Its line is there before its words.
      help={suite ? `Version ${suite.version}, ${casesOf(suite)}.` : chosen && '\u00a0'}
      lookup={useLookup(suiteChoicesQuery, optionOf)}
      nameOf={() => name}
      onChoose={(next) =>
        change(forgets.reduce((all, at) => edit(all, pathOf(at), null), edit(edited, pathOf(path), next)))
      }
    />
  );
}

const casesOf = ({ test_cases_count: cases }: Pick<SuiteHead, 'test_cases_count'>): string =>
  `${count(cases)} ${cases === 1 ? 'case' : 'cases'}`;

function optionOf(suite: SuiteHead): Option {
  const { id, name, last_run: run } = suite;
  const score = run?.best?.score;
  const ran = run && `${score == null ? run.status : percent(score)}, ${relativeTime(new Date(run.created_at))}`;
  return { value: id, name, detail: [casesOf(suite), ran].filter(Boolean).join(' · ') };
}

interface SuiteFilterProps {
  suite: string | undefined;
  choose: (suite: string | undefined) => void;
}

/** The suite filter of a list. */
export function SuiteFilter({ suite = '', choose }: SuiteFilterProps) {
  const { name } = useSuiteName(suite);
  const lookup = useLookup(suiteChoicesQuery, optionOf);
  return <PickFilter label="Suite" value={suite} chosen={suite && name} {...{ lookup, choose }} />;
}
