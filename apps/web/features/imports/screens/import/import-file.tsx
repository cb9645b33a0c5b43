import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../../../api/action';
import { exampleSuiteQuery, importSuite, type ImportSource } from '../../api/imports';
import { keys } from '../../../../api/keys';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/allowed-button';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { ImportedSuite, ImportPreview } from './import-results';
import { SourceFields } from './source-fields';

const EMPTY_SOURCE: ImportSource = { format: 'native', text: '', name: '', tools: '', answers: '' };

/** A suite from a file, or from the API's example. */
export function ImportFile({ isExample }: { isExample: boolean }) {
  const example = useQuery({ ...exampleSuiteQuery, enabled: isExample });
  if (!isExample) return <ImportForm first={EMPTY_SOURCE} />;
  if (example.isError) return <ErrorNotice error={example.error} retry={example.refetch} />;
  if (!example.data) return <Skeleton rows={12} />;
  return <ImportForm first={{ ...EMPTY_SOURCE, text: example.data }} />;
}

function ImportForm({ first }: { first: ImportSource }) {
  const queries = useQueryClient();
  const refusal = useRefusal('editor');
  const [source, setSource] = useState(first);
  const check = useAction((asked: ImportSource, options) => importSuite(asked, true, options));
  const make = useAction(
    (asked: ImportSource, options) => importSuite(asked, false, options),
    () => queries.invalidateQueries({ queryKey: keys.suites }),
  );
  const change = (part: Partial<ImportSource>): void => {
    setSource((before) => ({ ...before, ...part }));
    // The earlier check no longer applies.
    check.reset();
    make.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate(source);
  };
  const isBusy = check.isPending || make.isPending;
  const isEmpty = source.text.trim() === '';
  if (make.data) return <ImportedSuite answer={make.data} again={() => change({ text: '' })} />;
  return (
    <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
      <SourceFields source={source} onChange={change} />
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
  );
}
