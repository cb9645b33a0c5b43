import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import { componentsOf } from '#lib/contracts/prompt-components';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { valueAt } from '../../../ui/form/edited';
import { LongTextField } from '../../../ui/form/fields';
import { Form } from '../../../ui/form/form';
import { valueOf } from '../../../ui/form/form-request';
import { JsonForm } from '../../../ui/form/json-form';
import { Fields } from '../../../ui/form/schema';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { TextFilter } from '../../../ui/filters';
import { visible } from '../../../ui/user-text';
import { suiteQuery } from '../../suites/api';
import { ChooseSuite } from '../../suites/parts/choose-suite';
import { createPromptVersion, promptVersionQuery, refreshPrompts } from '../api';
import { NAME_FIELDS } from '../parts/prompt-name';
import { newPrompt, promptOf } from './prompt-value';

const PROMPTS = [{ to: '/prompts', label: 'Prompts' }] as const;

/** A hand-written prompt version, based on the texts of a suite or of another version. */
export function PromptNewScreen() {
  const { suite: suiteId = '', from } = useSearch({ from: '/signed-in/prompts/new' });
  const navigate = useNavigate();
  const choose = (suite: string): void =>
    void navigate({ to: '/prompts/new', search: { suite: suite || undefined }, replace: true });
  return (
    <>
      <Head title="New prompt version" trail={PROMPTS} />
      <JsonForm
        edited={{ value: { suite_id: suiteId }, unread: {} }}
        change={({ value }) => choose(toText(valueAt(value, ['suite_id'])))}
        error={null}
        refusal={undefined}
      >
        <div className="fields">
          <ChooseSuite path="suite_id" />
        </div>
      </JsonForm>
      {suiteId !== '' && (
        <QueryBoundary rows={8}>
          <PromptForm key={`${suiteId} ${from}`} suiteId={suiteId} from={from} />
        </QueryBoundary>
      )}
    </>
  );
}

function PromptForm({ suiteId, from }: { suiteId: string; from: string | undefined }) {
  const navigate = useNavigate();
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  const [parent] = useSuspenseQueries({
    queries: (from === undefined ? [] : [from]).map(promptVersionQuery),
    combine: (versions) => versions.map(({ data }) => data),
  });
  const inSuite = useMemo(() => Object.fromEntries(componentsOf(suite.system_prompt, suite.tools)), [suite]);
  return (
    <Form
      name={`new prompt ${suiteId} ${from ?? ''}`}
      initial={useMemo(() => newPrompt(suiteId, inSuite, parent), [suiteId, inSuite, parent])}
      requestOf={(edited) => {
        const request = valueOf<Json>(edited);
        return 'body' in request ? { body: promptOf(request.body, inSuite) } : request;
      }}
      send={createPromptVersion}
      onDone={({ id }) => {
        void refreshPrompts();
        return navigate({ to: '/prompts/$promptId', params: { promptId: id } });
      }}
      save="Save version"
    >
      <Fields of={NAME_FIELDS} />
      <Texts components={Object.keys(inSuite)} />
    </Form>
  );
}

/** How many texts are shown at once; the filter finds the others. */
const SHOWN = 20;

function Texts({ components }: { components: string[] }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const found = components.filter((component) => component.toLowerCase().includes(wanted));
  return (
    <fieldset>
      <legend>Texts</legend>
      <p className="muted small">The version stores only texts that differ from the suite. An empty text means none.</p>
      {components.length > SHOWN && <TextFilter label="Filter texts" text={filter} change={setFilter} />}
      {found.slice(0, SHOWN).map((component) => (
        <LongTextField
          key={component}
          path={['components', component]}
          label={visible(component)}
          maxLength={MAX_PROMPT_CHARS}
          rows={component === 'system_prompt' ? 6 : 2}
          whenEmpty=""
        />
      ))}
      {found.length > SHOWN && (
        <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
      )}
    </fieldset>
  );
}
