import type { z } from 'zod';
import { argumentName, matcherWords } from '#lib/contracts/difference-words';
import { isNumber, toText, type Json } from '#lib/contracts/json/json';
import type { ArgumentCheck as ArgumentCheckSchema } from '#lib/contracts/verdict';
import { characterDiff, type Piece } from '../../../ui/text-diff';
import { JsonView, Scalar } from '../../../ui/json-view';
import { Table, type Column } from '../../../ui/table';
import { UserBlock, UserText, visible } from '../../../ui/user-text';
import css from './results.module.css';

export type ArgumentCheck = z.infer<typeof ArgumentCheckSchema>;

const WORDS: Record<ArgumentCheck['verdict'], string> = {
  match: 'matches',
  mismatch: 'differs',
  missing: 'missing',
  skipped: 'not checked',
};

interface Extra {
  name: string;
  value: unknown;
}

interface Props {
  checks: readonly ArgumentCheck[];
  extra: readonly Extra[];
  /** The name of the table. */
  label?: string;
}

/** A call's arguments next to the expected ones, each with the rule that compared them. */
export function ArgumentDiff({ checks, extra, label = 'Arguments' }: Props) {
  if (checks.length + extra.length === 0) return <p className="muted small">No arguments are compared.</p>;
  return (
    <Table
      label={label}
      className={css.arguments}
      rows={[...checks.map(rowOf), ...extra]}
      keyOf={(row) => ('check' in row ? row.check.path : `extra ${row.name}`)}
      rowProps={(row) => ({ className: 'check' in row ? LOOKS[row.check.verdict] : 'muted' })}
      columns={COLUMNS}
    />
  );
}

/** An argument that the case mentions. Differing texts are compared character by character. */
interface Checked {
  name: string;
  check: ArgumentCheck;
  diff: { a: readonly Piece[]; b: readonly Piece[] } | undefined;
}

function rowOf(check: ArgumentCheck): Checked {
  const { path, expected, actual, verdict } = check;
  const areTexts = verdict === 'mismatch' && typeof expected === 'string' && typeof actual === 'string';
  return { name: argumentName(path), check, diff: areTexts ? characterDiff(expected, actual) : undefined };
}

function Called({ check: { actual, verdict, default_applied: isDefault }, diff }: Checked) {
  return (
    <>
      {diff ? <Marked pieces={diff.b} /> : <Shown value={actual} none={verdict === 'missing' ? 'missing' : ''} />}
      {isDefault && <span className={css.chip}>default</span>}
    </>
  );
}

const Rule = ({ check }: { check: ArgumentCheck }) => (
  <>
    <span className={css.word}>{WORDS[check.verdict]}</span> <span className="muted small">{ruleOf(check)}</span>
    {check.note !== undefined && (
      <div className="small">
        <UserText text={check.note} />
      </div>
    )}
  </>
);

const COLUMNS: Column<Checked | Extra>[] = [
  { name: 'Argument', isHeading: true, cell: ({ name }) => <UserText text={name} max={200} /> },
  {
    name: 'Expected',
    cell: (row) => {
      if (!('check' in row)) return 'not mentioned';
      if (row.diff) return <Marked pieces={row.diff.a} />;
      const words = matcherWords(row.check.expected);
      return words === undefined ? <Shown value={row.check.expected} /> : <UserBlock text={words} />;
    },
  },
  { name: 'Called', cell: (row) => ('check' in row ? <Called {...row} /> : <Shown value={row.value} />) },
  { name: 'Rule', cell: (row) => ('check' in row ? <Rule check={row.check} /> : 'does not count') },
];

const LOOKS: Partial<Record<ArgumentCheck['verdict'], string>> = {
  match: css.match,
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

function Shown({ value, none = '' }: { value: unknown; none?: string }) {
  if (value === undefined) return <span className="muted">{none}</span>;
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
