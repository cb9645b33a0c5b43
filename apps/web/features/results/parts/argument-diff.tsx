import type { z } from 'zod';
import type { ArgumentCheck as ArgumentCheckSchema } from '#lib/contracts/verdict';
import { isNumber, toText, type Json } from '#lib/contracts/json/json';
import { characterDiff, type Piece } from '../../../ui/character-diff';
import { UserText, visible } from '../../../ui/user-text';
import { JsonView, Scalar } from '../../../ui/json-view';
import './argument-diff.css';

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
    <div className="wide" role="region" aria-label={label} tabIndex={0}>
      <table className="arguments">
        <thead>
          <tr>
            <th scope="col">Argument</th>
            <th scope="col">Expected</th>
            <th scope="col">Called</th>
            <th scope="col">Rule</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, index) => (
            <Check key={index} check={check} />
          ))}
          {extra.map(({ name, value }) => (
            <tr key={name} className="muted">
              <th scope="row">
                <UserText text={name} max={200} />
              </th>
              <td>not mentioned</td>
              <td>
                <Shown value={value} />
              </td>
              <td>does not count</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Check({ check }: { check: ArgumentCheck }) {
  const { expected, actual, verdict } = check;
  const areTexts = verdict === 'mismatch' && typeof expected === 'string' && typeof actual === 'string';
  const diff = areTexts ? characterDiff(expected, actual) : undefined;
  return (
    <tr className={`argument-${verdict}`}>
      <th scope="row">
        <UserText text={nameOf(check.path)} max={200} />
      </th>
      <td>{diff ? <Marked pieces={diff.a} /> : <Shown value={expected} />}</td>
      <td>
        {diff ? <Marked pieces={diff.b} /> : <Shown value={actual} none={verdict === 'missing' ? 'missing' : ''} />}
        {check.default_applied && <span className="chip">default</span>}
      </td>
      <td>
        <span className="argument-word">{WORDS[verdict]}</span> <span className="muted small">{ruleOf(check)}</span>
        {check.note !== undefined && (
          <div className="small">
            <UserText text={check.note} />
          </div>
        )}
      </td>
    </tr>
  );
}

/** A JSON Pointer without its slash; the whole pointer if it leads inside an argument. */
const nameOf = (path: string): string => {
  const parts = path.split('/').slice(1);
  return parts.length === 1 ? parts[0]!.replaceAll('~1', '/').replaceAll('~0', '~') : path || 'all arguments';
};

const numberText = (value: unknown): string => toText(value as Json | undefined);

/** `fuzzy, similarity 0.71, 0.8 needed`. */
function ruleOf({ rule, similarity, threshold, distance, epsilon }: ArgumentCheck): string {
  const parts: string[] = [rule];
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
