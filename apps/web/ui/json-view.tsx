import { useState, type ReactNode } from 'react';
import { isNumber, isObject, numberSource } from '#lib/contracts/json/json';
import { keysInSourceOrder } from '#lib/contracts/json/key-order';
import { UserText, UserBlock, visible } from './user-text';
import css from './json-view.module.css';

const FIRST_ENTRIES = 50;
/** Deeper values are shown as text. */
const MAX_DEPTH = 24;
const LINE_CHARACTERS = 120;
const MAX_KEY = 200;

/** A JSON value as a collapsible tree. Numbers keep their source text. */
export function JsonView({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <div className={css.json} data-json>
      <Value value={value} open={open} depth={0} />
    </div>
  );
}

function Value({ value, open, depth, name }: { value: unknown; open: number; depth: number; name?: ReactNode }) {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value))
    return (
      <div className={css.jsonLine}>
        {name}
        <Scalar value={value} />
      </div>
    );
  const count = isList ? value.length : Object.keys(value).length;
  const short = shortText(value);
  if (count === 0 || depth >= MAX_DEPTH)
    return (
      <div className={css.jsonLine}>
        {name}
        <UserText text={short} />
      </div>
    );
  return <Folded value={value} {...{ open, depth, name, count, short }} />;
}

interface Fold {
  value: unknown[] | Record<string, unknown>;
  open: number;
  depth: number;
  name?: ReactNode;
  count: number;
  short: string;
}

/** Collapsed content is not rendered. */
function Folded({ value, open, depth, name, count, short }: Fold) {
  const [isOpen, setOpen] = useState(depth < open);
  const [shown, setShown] = useState(FIRST_ENTRIES);
  const isList = Array.isArray(value);
  const keys = isOpen ? (isList ? value.slice(0, shown).keys() : keysInSourceOrder(value).slice(0, shown)) : [];
  const size = isList ? `${count} ${count === 1 ? 'item' : 'items'}` : `${count} ${count === 1 ? 'key' : 'keys'}`;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name}
        <span className="muted">{isOpen ? size : <UserText text={short} max={LINE_CHARACTERS} />}</span>
      </summary>
      <div className={css.jsonInner}>
        {[...keys].map((key) => (
          <Value
            key={key}
            value={(value as Record<string | number, unknown>)[key]}
            open={open}
            depth={depth + 1}
            name={<Name text={String(key)} />}
          />
        ))}
        {isOpen && count > shown && (
          <button type="button" className="dense" onClick={() => setShown(shown * 4)}>
            Show more ({(count - shown).toLocaleString('en')} left)
          </button>
        )}
      </div>
    </details>
  );
}

const Name = ({ text }: { text: string }) => (
  <>
    <bdi className={`given ${css.jsonName}`}>{visible(text.slice(0, MAX_KEY))}</bdi>
    {': '}
  </>
);

/** A string, a number by its text, true, false or null. */
export function Scalar({ value }: { value: unknown }) {
  if (typeof value !== 'string')
    return <code className={css.jsonScalar}>{isNumber(value) ? numberSource(value) : String(value)}</code>;
  if (value.length <= LINE_CHARACTERS && !value.includes('\n')) return <UserText text={JSON.stringify(value)} />;
  return <UserBlock text={value} code />;
}

/** The beginning of a value's JSON, without serialising all of a large one. */
function shortText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`;
  const keys = keysInSourceOrder(value as object);
  if (keys.length === 0) return '{}';
  return `{ ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', ...' : ''} }`;
}
