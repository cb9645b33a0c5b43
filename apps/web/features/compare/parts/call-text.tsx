import { isObject } from '#lib/contracts/json/json';
import { valueWords } from '#lib/contracts/difference-words';
import type { ComparedItem } from '#lib/contracts/comparison';
import { characterDiff } from '../../../ui/text-diff';
import { UserText, visible } from '../../../ui/user-text';
import css from './compare.module.css';

type Call = ComparedItem['a']['called'][number];

const MAX_CALLS = 20;
const MAX_ARGUMENTS = 50;
const MAX_VALUE = 500;

interface Props {
  called: readonly Call[];
  /** The calls of the other side, which these are compared with, one by one. */
  other: readonly Call[];
}

/** Calls with their arguments: those that the other side has as well are dimmed, the others marked. */
export function CallsText({ called, other }: Props) {
  if (called.length === 0) return <Piece text="no call" isSame={other.length === 0} />;
  return (
    <div className={css.calls}>
      {called.slice(0, MAX_CALLS).map((call, index) => (
        <code key={index}>
          <CallText call={call} other={other[index]} />
        </code>
      ))}
      {called.length > MAX_CALLS && <span className="muted">and {called.length - MAX_CALLS} more</span>}
    </div>
  );
}

function CallText({ call: { name, arguments: given, raw }, other }: { call: Call; other: Call | undefined }) {
  const isSameTool = other?.name === name;
  const entries = isObject(given) ? Object.entries(given) : [];
  const theirs = isObject(other?.arguments) ? other.arguments : {};
  return (
    <>
      <Piece text={name.slice(0, 300)} isSame={isSameTool} />(
      {given === null && <Piece text={(raw ?? '').slice(0, MAX_VALUE)} isSame={isSameTool && raw === other.raw} />}
      {entries.slice(0, MAX_ARGUMENTS).map(([key, value], index) => (
        <span key={key}>
          {index > 0 && ', '}
          <Argument name={key} value={value} theirs={isSameTool && Object.hasOwn(theirs, key) ? theirs[key] : NONE} />
        </span>
      ))}
      {entries.length > MAX_ARGUMENTS && ', …'})
    </>
  );
}

/** The other side has no such argument. */
const NONE = Symbol('none');

interface ArgumentProps {
  name: string;
  value: unknown;
  theirs: unknown;
}

/** What the other side has as well is dimmed. Of two texts, the characters that differ are marked. */
function Argument({ name, value, theirs }: ArgumentProps) {
  const words = shortWords(value);
  if (theirs !== NONE && JSON.stringify(theirs) === JSON.stringify(value))
    return <Piece text={`${name}: ${words}`} isSame />;
  if (typeof value !== 'string' || typeof theirs !== 'string')
    return <Piece text={`${name}: ${words}`} isSame={false} />;
  const pieces = characterDiff(shortWords(theirs), words).b;
  return (
    <>
      <Piece text={`${name}: `} isSame />
      {pieces.map(({ text, differs }, index) => (
        <Piece key={index} text={text} isSame={!differs} />
      ))}
      {pieces.every(({ differs }) => !differs) && <mark title="The other text goes on.">…</mark>}
    </>
  );
}

function shortWords(value: unknown): string {
  const words = valueWords(value);
  return words.length > MAX_VALUE ? `${words.slice(0, MAX_VALUE)} …` : words;
}

const Piece = ({ text, isSame }: { text: string; isSame: boolean }) =>
  isSame ? (
    <span className="muted">
      <UserText text={text} />
    </span>
  ) : (
    <mark>
      <bdi className="given">{visible(text)}</bdi>
    </mark>
  );
