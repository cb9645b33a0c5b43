import { useId, useState, type DragEvent } from 'react';
import type { ImportFormat } from '#lib/contracts/import';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { UserText } from '../../../ui/user-text';
import type { ImportSource } from '../api';
import { formatOf, readFailure, sizeFailure, sizeOf, textOf } from './read-file';

/** Typing is slow in a text area above this size; for such a file the name is shown instead. */
const MAX_SHOWN = 200_000;

interface SourceFieldsProps {
  source: ImportSource;
  set: (part: Partial<ImportSource>) => void;
}

/** The file, its format, and settings that the format lacks. */
export function SourceFields({ source: { format, text }, set }: SourceFieldsProps) {
  const take = (taken: string, name: string): void => {
    const named = formatOf(name);
    set({ text: taken, ...(named && { format: named }) });
  };
  return (
    <>
      <FileField label="File" onText={take} />
      {text.length > MAX_SHOWN ? (
        <div className="notice actions">
          <span>{text.length.toLocaleString('en')} characters ready to import.</span>
          <button type="button" className="dense" onClick={() => set({ text: '' })}>
            Choose another file
          </button>
        </div>
      ) : (
        <Fields of={CONTENT} />
      )}
      <Fields of={FORMAT} />
      {format === 'bfcl' && (
        <FileField label="Possible answers, if in a separate file" onText={(answers) => set({ answers })} />
      )}
      {format !== 'native' && <Fields of={LACKING} />}
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
    <div className="field" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-invalid={said?.isFault ?? false}
        aria-describedby={`${id}said`}
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <span id={`${id}said`} role="status" className={said?.isFault ? 'field-error' : 'muted small'}>
        {said && <UserText text={said.text} />}
      </span>
    </div>
  );
}

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

const CONTENT: FormSchema = [
  { longText: 'text', label: 'Or its content as text', rows: 12, isCode: true, whenEmpty: '' },
];
const FORMAT: FormSchema = [{ choice: 'format', label: 'Format', options: Object.entries(FORMATS) }];
const LACKING: FormSchema = [
  { text: 'name', label: 'Suite name', maxLength: 200, placeholder: 'From the file', whenEmpty: '' },
  {
    folded: 'Tools, if the file has none',
    of: [
      {
        longText: 'tools',
        label: 'List of tools, JSON',
        help: 'Empty: derived from the calls in the file.',
        rows: 6,
        isCode: true,
        whenEmpty: '',
      },
    ],
  },
];
