import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toText } from '#lib/contracts/json/json';
import { ErrorNotice } from '../../../../ui/notices';
import { textsOf } from '../../../../ui/form/form-request';
import { Faults, useField } from '../../../../ui/form/json-form';
import { count } from '../../../../ui/amounts';
import { TextFilter } from '../../../../ui/filters';
import { UserText } from '../../../../ui/user-text';
import { suiteQuery } from '../../../suites/api';
import {
  ALL_PARAMETERS,
  ALL_TOOLS,
  choiceOf,
  otherComponents,
  SYSTEM_PROMPT,
  withComponent,
} from './prompt-tune-value';

/** The texts that the meta model writes. */
export function ChooseComponents() {
  const { id, value, errors } = useField('components');
  const suiteId = toText(useField('suite_id').value ?? '');
  const suite = useQuery({ ...suiteQuery(suiteId), enabled: suiteId !== '' });
  const chosen = textsOf(value);
  const tools = suite.data?.tools.map(({ function: { name } }) => name) ?? [];
  const others = suite.data ? otherComponents(chosen, tools) : [];
  return (
    <fieldset aria-describedby={`${id}-faults`}>
      <legend>Texts to tune</legend>
      <p className="muted small">Names, types, enums and required lists do not change, and neither does the suite.</p>
      <div>
        <Box component={SYSTEM_PROMPT} words="The system prompt" />
        <Box component={ALL_TOOLS} words="The descriptions of all tools" />
        <Box component={ALL_PARAMETERS} words="The descriptions of all parameters" />
        {others.slice(0, SHOWN).map((component) => (
          <Box key={component} component={component} words={component} />
        ))}
      </div>
      {suite.isError && <ErrorNotice error={suite.error} retry={() => suite.refetch()} />}
      {tools.length > 0 && <SingleTools tools={tools} chosen={chosen} />}
      <div id={`${id}-faults`} className="small">
        <Faults faults={errors} />
      </div>
    </fieldset>
  );
}

/** How many tools are listed at once; the filter finds the others. */
const SHOWN = 100;

function SingleTools({ tools, chosen }: { tools: string[]; chosen: string[] }) {
  const [filter, setFilter] = useState('');
  const [hasSome] = useState(() =>
    tools.map(choiceOf).some((one) => [one.description, one.parameters].some((key) => chosen.includes(key))),
  );
  const wanted = filter.trim().toLowerCase();
  const found = tools.filter((tool) => tool.toLowerCase().includes(wanted));
  return (
    <details open={hasSome}>
      <summary>Individual tools</summary>
      <div className="fields">
        {tools.length > SHOWN && <TextFilter label="Filter tools" text={filter} change={setFilter} />}
        <div className="model-list" tabIndex={0} role="group" aria-label="Tools to choose from">
          {found.slice(0, SHOWN).map((tool) => (
            <div key={tool} role="group" aria-label={tool}>
              <div className="label">
                <UserText text={tool} max={64} />
              </div>
              <Box component={choiceOf(tool).description} words="its description" within={ALL_TOOLS} />
              <Box component={choiceOf(tool).parameters} words="its parameters" within={ALL_PARAMETERS} />
            </div>
          ))}
        </div>
        {found.length > SHOWN && (
          <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
        )}
      </div>
    </details>
  );
}

/** @param within a pattern that already includes this component */
function Box({ component, words, within }: { component: string; words: string; within?: string }) {
  const { value, refusal, set } = useField('components');
  const chosen = textsOf(value);
  const isCovered = within !== undefined && chosen.includes(within);
  return (
    <label className="check">
      <input
        type="checkbox"
        disabled={refusal !== undefined || isCovered}
        title={refusal}
        checked={isCovered || chosen.includes(component)}
        onChange={({ target }) => set(withComponent(chosen, component, target.checked))}
      />
      <UserText text={words} max={300} />
    </label>
  );
}
