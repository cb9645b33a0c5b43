import { useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import type { Edited } from '../../../ui/form/edited';
import { JsonForm } from '../../../ui/form/json-form';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { submitOnCtrlEnter } from '../../../ui/keys';
import { Tabs } from '../../../ui/tabs';
import { refreshSuites } from '../../suites/api';
import { importSuite, type ImportSource } from '../api';
import { exampleSuiteQuery } from '../example';
import { ImportMcp } from './import-mcp';
import { countOf, ImportPreview, SuiteCreated } from './import-results';
import { SourceFields } from './source-fields';

const TRAIL = [{ to: '/suites', label: 'Suites' }] as const;

/** Three ways to create a suite: a file, the example, the tools of an MCP server. */
export function ImportScreen() {
  const { from } = useSearch({ from: '/signed-in/import' });
  return (
    <>
      <Head title="Import a suite" trail={TRAIL} />
      <Tabs
        label="Source of the suite"
        items={[
          { to: '/import', search: {}, label: 'File', bySearch: true },
          { to: '/import', search: { from: 'mcp' }, label: 'MCP server', bySearch: true },
          { to: '/import', search: { from: 'example' }, label: 'Example', bySearch: true },
        ]}
      />
      {from === undefined && <ImportFile text="" />}
      {from === 'example' && (
        <QueryBoundary rows={12}>
          <ImportExample />
        </QueryBoundary>
      )}
      {from === 'mcp' && <ImportMcp />}
    </>
  );
}

const ImportExample = () => <ImportFile text={useSuspenseQuery(exampleSuiteQuery).data} />;

/** A suite from the text of a file. */
function ImportFile({ text }: { text: string }) {
  const refusal = useRefusal('editor');
  const [edited, setEdited] = useState<Edited>(() => ({ value: { ...EMPTY, text }, unread: {} }));
  const source = edited.value as unknown as ImportSource;
  const check = useAction((asked: ImportSource, options) => importSuite(asked, true, options));
  const make = useAction((asked: ImportSource, options) => importSuite(asked, false, options), refreshSuites);
  const change = (next: Edited | ((before: Edited) => Edited)): void => {
    setEdited(next);
    // The earlier check no longer applies.
    check.reset();
    make.reset();
  };
  const set = (part: Partial<ImportSource>): void =>
    change(({ value, unread }) => ({ value: { ...(value as JsonObject), ...part }, unread }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate(source);
  };
  const isBusy = check.isPending || make.isPending;
  const isEmpty = source.text.trim() === '';
  if (make.data)
    return (
      <SuiteCreated suiteId={make.data.suite_id!} warnings={make.data.warnings} again={() => set({ text: '' })}>
        The suite has {countOf(make.data.test_cases_created, 'case')}.
      </SuiteCreated>
    );
  return (
    <JsonForm edited={edited} change={change} error={null} refusal={undefined}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <SourceFields source={source} set={set} />
        <div className="actions">
          <AllowedButton type="submit" className="primary" refusal={refusal} disabled={isBusy || isEmpty}>
            Import
          </AllowedButton>
          <button
            type="button"
            disabled={refusal !== undefined || isBusy || isEmpty}
            title={refusal}
            onClick={() => check.mutate(source)}
          >
            Preview
          </button>
          <span role="status">{isBusy ? 'Reading the file ...' : ''}</span>
        </div>
        {check.isError && <ErrorNotice error={check.error} retry={() => check.mutate(source)} />}
        {make.isError && <ErrorNotice error={make.error} retry={() => make.mutate(source)} />}
        {check.data && <ImportPreview answer={check.data} />}
      </form>
    </JsonForm>
  );
}

const EMPTY = { format: 'native', text: '', name: '', tools: '', answers: '' };
