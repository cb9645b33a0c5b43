import { argumentName, matcherWords } from '#lib/contracts/difference-words';
import { innerDifference } from '#lib/contracts/inner-difference';
import { isNumber, toText, type Json } from '#lib/contracts/json/json';
import { LazyDetails } from '../../../ui/details';
import { characterDiff, type Piece } from '../../../ui/text-diff';
import { JsonView, Scalar } from '../../../ui/json-view';
import { Table, type Column } from '../../../ui/table';
import { UserBlock, UserText, visible } from '../../../ui/user-text';
import type { Apart, ArgumentCheck } from './paired-calls';
import css from './results.module.css';

/** How an argument compares: a sign and a word, so that none depends on colour alone. */
const WORDS: Record<ArgumentCheck['verdict'] | 'extra', [sign: string, word: string]> = {
  match: ['✓', 'matches'],
  mismatch: ['≠', 'differs'],
  missing: ['−', 'missing'],
  skipped: ['·', 'not checked'],
  extra: ['+', 'extra'],
};

interface Extra {
  name: string;
  value: unknown;
}

interface Props {
  checks: readonly ArgumentCheck[];
  extra?: readonly Extra[];
  /** Arguments of calls that nothing compared. */
  apart?: readonly Apart[];
  /** The name of the table. */
  label?: string;
  /** Whether it goes on below a table with the same columns, whose head is enough. */
  isContinued?: boolean;
  /** Whether no other table is to have the same columns. */
  isAlone?: boolean;
}

/** More arguments than this have those that match behind a disclosure. */
const MAX_WHOLE = 8;

/** A call's arguments next to the expected ones: what differs is marked, what is equal is dimmed. */
export function ArgumentDiff({ checks, extra = [], apart = [], label = 'Arguments', ...layout }: Props) {
  const rows: Row[] = [...checks.map(rowOf), ...extra, ...apart];
  if (rows.length === 0) return null;
  const [equal, others] = [rows.filter(isEqual), rows.filter((row) => !isEqual(row))];
  if (rows.length <= MAX_WHOLE || equal.length < 2) return <Rows {...{ label, rows, ...layout }} />;
  return (
    <>
      {others.length > 0 && <Rows {...{ label, ...layout }} rows={others} />}
      <LazyDetails summary={`${equal.length} arguments match`}>
        {() => (
          <Rows label={`${label} that match`} rows={equal} isContinued={others.length > 0 || layout.isContinued} />
        )}
      </LazyDetails>
    </>
  );
}

/** An argument that the case mentions. Differing texts are compared character by character. */
interface Checked {
  name: string;
  check: ArgumentCheck;
  diff: { a: readonly Piece[]; b: readonly Piece[] } | undefined;
}
type Row = Checked | Extra | Apart;

const isEqual = (row: Row): boolean => 'check' in row && row.check.verdict === 'match';
const isExtra = (row: Row): row is Extra => 'value' in row;

interface RowsProps extends Pick<Props, 'isContinued' | 'isAlone'> {
  label: string;
  rows: readonly Row[];
}

const Rows = ({ label, rows, isContinued, isAlone }: RowsProps) => (
  <Table
    label={label}
    className={`${css.arguments} ${isContinued ? css.continued : ''}`}
    rows={rows}
    keyOf={(row) => ('check' in row ? row.check.path : `extra ${row.name}`)}
    rowProps={(row) => ({
      className: 'check' in row ? LOOKS[row.check.verdict] : isExtra(row) ? css.equal : undefined,
    })}
    columns={isAlone && rows.every((row) => !('check' in row || isExtra(row))) ? COLUMNS.slice(0, -1) : COLUMNS}
  />
);

function rowOf(whole: ArgumentCheck): Checked {
  const check = { ...whole, ...innerDifference(whole) };
  const { path, expected, actual, verdict } = check;
  const areTexts = verdict === 'mismatch' && typeof expected === 'string' && typeof actual === 'string';
  return { name: argumentName(path), check, diff: areTexts ? textDiff(expected, actual) : undefined };
}

/** The share of characters below which two texts have nothing in common worth showing. */
const IN_COMMON = 0.5;

function textDiff(expected: string, actual: string): NonNullable<Checked['diff']> {
  const diff = characterDiff(expected, actual);
  const equal = diff.a.reduce((sum, { text, differs }) => sum + (differs ? 0 : text.length), 0);
  if (equal >= IN_COMMON * Math.max(expected.length, actual.length)) return diff;
  return { a: different(expected), b: different(actual) };
}

const different = (text: string): Piece[] => (text === '' ? [] : [{ text, differs: true }]);

function ExpectedValue({ row }: { row: Row }) {
  if (isExtra(row)) return <span className="muted">not mentioned</span>;
  if ('check' in row && row.diff) return <Marked pieces={row.diff.a} />;
  const expected = 'check' in row ? row.check.expected : row.expected;
  const words = matcherWords(expected);
  return words === undefined ? <Shown value={expected} /> : <UserBlock text={words} />;
}

function CalledValue({ row }: { row: Row }) {
  if (isExtra(row)) return <Shown value={row.value} />;
  if (!('check' in row)) return <Shown value={row.called} />;
  const { actual, verdict, default_applied: isDefault } = row.check;
  if (row.diff) return <Marked pieces={row.diff.b} />;
  return (
    <>
      {verdict === 'mismatch' && actual !== undefined ? (
        <mark>
          <Shown value={actual} />
        </mark>
      ) : (
        <Shown value={actual} />
      )}
      {isDefault && <span className={css.chip}>default</span>}
    </>
  );
}

function Rule({ row }: { row: Row }) {
  if (isExtra(row)) return <Sign of="extra" />;
  if (!('check' in row)) return null;
  const { check } = row;
  return (
    <>
      <Sign of={check.verdict} /> <span className="muted small">{ruleOf(check)}</span>
      {check.note !== undefined && (
        <div className="small">
          <UserText text={check.note} />
        </div>
      )}
    </>
  );
}

/** What is equal says so with its sign alone. */
function Sign({ of }: { of: keyof typeof WORDS }) {
  const [sign, word] = WORDS[of];
  return (
    <span className={css.word}>
      <span aria-hidden="true">{sign}</span> <span className={of === 'match' ? 'unseen' : undefined}>{word}</span>
    </span>
  );
}

const COLUMNS: Column<Row>[] = [
  { name: 'Argument', isHeading: true, cell: ({ name }) => <UserText text={name} max={200} /> },
  { name: 'Expected', cell: (row) => <ExpectedValue row={row} /> },
  { name: 'Called', cell: (row) => <CalledValue row={row} /> },
  { name: 'Rule', cell: (row) => <Rule row={row} /> },
];

const LOOKS: Partial<Record<ArgumentCheck['verdict'], string>> = {
  match: `${css.match} ${css.equal}`,
  mismatch: css.mismatch,
  missing: css.missing,
};

const numberText = (value: unknown): string => toText(value as Json | undefined);

/** `fuzzy, similarity 0.71, 0.8 needed`. */
function ruleOf({ rule, similarity, threshold, distance, epsilon }: ArgumentCheck): string {
  // The words of a matcher say what it compares, and most arguments are compared exactly.
  const parts: string[] = rule.startsWith('$') || rule === 'exact' ? [] : [rule.replaceAll('_', ' ')];
  if (similarity !== undefined) parts.push(`similarity ${numberText(similarity)}`);
  if (threshold !== undefined) parts.push(`${numberText(threshold)} needed`);
  if (distance !== undefined) parts.push(`${numberText(distance)} apart`);
  if (epsilon !== undefined) parts.push(`${numberText(epsilon)} allowed`);
  return parts.join(', ');
}

function Shown({ value }: { value: unknown }) {
  if (value === undefined) return <span className="muted">–</span>;
  return typeof value === 'object' && value !== null && !isNumber(value) ? (
    <JsonView value={value} open={1} />
  ) : (
    <Scalar value={value} />
  );
}

const MAX_PIECES = 400;
const MAX_PIECE = 5000;

function Marked({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <bdi className="given-block">
      {pieces.slice(0, MAX_PIECES).map(({ text, differs }, index) => {
        const shown = visible(text.length > MAX_PIECE ? `${text.slice(0, MAX_PIECE)} ...` : text);
        return differs ? <mark key={index}>{shown}</mark> : shown;
      })}
      {pieces.length === 0 && <span className="muted">(empty text)</span>}
    </bdi>
  );
}
