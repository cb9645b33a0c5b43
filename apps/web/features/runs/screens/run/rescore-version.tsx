import { useQuery } from '@tanstack/react-query';
import { isNumber } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import type { CaseChanges, SuiteVersionHead } from '#lib/contracts/suite-version';
import { count } from '../../../../ui/amounts';
import { useLookup, type Option } from '../../../../ui/combobox';
import { useField } from '../../../../ui/form/json-form';
import { PickField } from '../../../../ui/form/pick-field';
import { changesQuery, suiteQuery, versionChoicesQuery } from '../../../suites/api';

/** The version of the suite that scores the replies. Only the run's own is left of a deleted suite. */
export function RescoreVersion({ suite: { id, version } }: Pick<Run, 'suite'>) {
  const field = useField('suite_version');
  const lookup = useLookup((text) => versionChoicesQuery(id, text), optionOf);
  const { data: suite, isError } = useQuery({ ...suiteQuery(id), retry: false });
  const chosen = isNumber(field.value) ? Number(field.value) : undefined;
  const current = suite?.version ?? version;
  const to = chosen ?? current;
  const changes = useQuery({ ...changesQuery(id, version, to), enabled: to !== version });
  if (isError) return null;
  const words = changes.data && changesInWords(changes.data.cases);
  return (
    <PickField
      path="suite_version"
      label="Version of the suite"
      none={`as run (version ${version})`}
      help={to === version ? '\u00a0' : `${nameOf(to, current)}: ${words ?? '...'}`}
      lookup={lookup}
      nameOf={(value) => nameOf(Number(value), current)}
      onChoose={(value) => field.set(value === '' ? undefined : Number(value))}
    />
  );
}

const nameOf = (version: number, current: number): string =>
  version === current ? `Current, version ${version}` : `Version ${version}`;

function optionOf({ version, is_current: isCurrent, runs }: SuiteVersionHead): Option {
  const detail = runs === 0 ? undefined : `${count(runs)} ${runs === 1 ? 'run' : 'runs'}`;
  return { value: String(version), name: isCurrent ? `Current, version ${version}` : `Version ${version}`, detail };
}

/** "2 cases changed, 1 added" */
function changesInWords({ changed, added, removed }: CaseChanges): string {
  const parts = [
    [changed, 'changed'],
    [added, 'added'],
    [removed, 'removed'],
  ] as const;
  const [first, ...others] = parts.filter(([n]) => n > 0);
  if (!first) return 'the same cases';
  const all = [`${count(first[0])} ${first[0] === 1 ? 'case' : 'cases'} ${first[1]}`];
  return [...all, ...others.map(([n, what]) => `${count(n)} ${what}`)].join(', ');
}
