import { useId, useState, type DragEvent } from 'react';
import type { ImportFormat } from '#lib/contracts/import';
import type { ImportSource } from '../../api/imports';
import { UserText } from '../../../../ui/user-text';
import { SelectField } from '../../../../ui/form/typed-field';
import { readFailure, formatOf, sizeFailure, sizeOf, textOf } from './read-file';

const FORMATS: Record<ImportFormat, string> = {
  native: 'Toolmark suite, JSON',
  yaml: 'Toolmark suite, YAML',
  jsonl: 'JSON Lines: one case per line',
  csv: 'CSV: one case per row',
  bfcl: 'Berkeley Function-Calling Leaderboard',
  'chat-logs': 'OpenAI chat completions, JSON Lines',
  promptfoo: 'promptfoo configuration',
  otlp: 'OpenTelemetry spans of model calls, OTLP/JSON',
  langfuse: 'Langfuse observations',
  phoenix: 'Arize Phoenix spans',
};

/** Typing is slow in a text area above this size; for such a file the name is shown instead. */
const MAX_SHOWN = 200_000;

interface SourceFieldsProps {
  source: ImportSource;
  onChange: (part: Partial<ImportSource>) => void;
}

/** The file, its format, and settings that the format lacks. */
export function SourceFields({ source, onChange }: SourceFieldsProps) {
  const id = useId();
  return (
    <>
      <TextOrFile source={source} onChange={onChange} />
      <SelectField
        label="Format"
        faults={[]}
        value={source.format}
        change={(format) => onChange({ format: format as ImportFormat })}
        options={Object.entries(FORMATS)}
      />
      {source.format === 'bfcl' && (
        <FileField label="Possible answers, if in a separate file" onText={(answers) => onChange({ answers })} />
      )}
      {source.format !== 'native' && (
        <>
          <div className="field">
            <label htmlFor={`${id}name`}>Suite name</label>
            <input
              id={`${id}name`}
              maxLength={200}
              value={source.name}
              placeholder="From the file"
              onChange={({ target }) => onChange({ name: target.value })}
            />
          </div>
          <details>
            <summary>Tools, if the file has none</summary>
            <div className="field">
              <label htmlFor={`${id}tools`}>List of tools, JSON</label>
              <textarea
                id={`${id}tools`}
                className="code"
                rows={6}
                spellCheck={false}
                value={source.tools}
                onChange={({ target }) => onChange({ tools: target.value })}
              />
              <span className="muted small">
                If empty, tools are derived from the calls in the file, and their descriptions are guesses.
              </span>
            </div>
          </details>
        </>
      )}
    </>
  );
}

function TextOrFile({ source, onChange }: SourceFieldsProps) {
  const id = useId();
  const isLarge = source.text.length > MAX_SHOWN;
  const take = (text: string, name: string): void => {
    const format = formatOf(name);
    onChange({ text, ...(format && { format }) });
  };
  return (
    <>
      <FileField label="File" onText={take} />
      {isLarge ? (
        <div className="notice actions">
          <span>{source.text.length.toLocaleString('en')} characters ready to import.</span>
          <button type="button" className="dense" onClick={() => onChange({ text: '' })}>
            Choose another file
          </button>
        </div>
      ) : (
        <div className="field">
          <label htmlFor={id}>Or its content as text</label>
          <textarea
            id={id}
            className="code"
            rows={12}
            spellCheck={false}
            value={source.text}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        </div>
      )}
    </>
  );
}

/** Accepts a chosen or dropped file, up to the import limit. */
function FileField({ label, onText }: { label: string; onText: (text: string, name: string) => void }) {
  const id = useId();
  const [said, setSaid] = useState<{ text: string; isFault: boolean }>();
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const refusal = sizeFailure(file);
    if (refusal !== undefined) return setSaid({ text: refusal, isFault: true });
    try {
      onText(textOf(file.name, await file.arrayBuffer()), file.name);
      setSaid({ text: `${file.name}, ${sizeOf(file.size)}`, isFault: false });
    } catch (error) {
      setSaid({ text: readFailure(file, error), isFault: true });
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  };
  return (
    <div className="field drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-invalid={said?.isFault ?? false}
        aria-describedby={`${id}said`}
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <span id={`${id}said`} role="status" className={said?.isFault ? 'fault' : 'muted small'}>
        {said && <UserText text={said.text} />}
      </span>
    </div>
  );
}
