import { useState } from 'react';
import { unsetLabel } from '#lib/contracts/unset-label';
import { commonEnds } from './text-diff';
import { visible } from './user-text';
import { Table } from './table';
import css from './changes-table.module.css';

/** Something with two values. */
interface Difference {
  path: string;
  /** Null or undefined: no value. */
  a: unknown;
  b: unknown;
}

const FIRST_ROWS = 50;
const MAX_CHARACTERS = 20_000;
/** Characters of context shown before and after a difference. */
const CONTEXT = 200;

interface Changes {
  rows: Difference[];
  /** What the rows list: "Field". */
  what: string;
  /** The headings of the two columns. */
  a: string;
  b: string;
  /** Whose values they are, for screen readers; unique among the tables of the page. */
  label: string;
  /** Whether its rows are cards on a phone. */
  hasCards?: boolean;
}

/** Differing values, side by side, with the differences marked. */
export function ChangesTable({ rows, what, a, b, label, hasCards }: Changes) {
  const [shown, setShown] = useState(FIRST_ROWS);
  return (
    <Table
      label={label}
      hasCards={hasCards}
      className={css.changes}
      rows={rows.slice(0, shown).map(withEnds)}
      keyOf={({ path }) => path}
      columns={[
        {
          name: what,
          isHeading: true,
          cell: ({ path }) => <code className="given">{visible(path.slice(0, 300))}</code>,
        },
        { name: a, cell: (row) => <Value side="a" {...row} /> },
        { name: b, cell: (row) => <Value side="b" {...row} /> },
      ]}
    >
      {rows.length > shown && (
        <button type="button" className="dense" onClick={() => setShown(rows.length)}>
          Show all {rows.length}
        </button>
      )}
    </Table>
  );
}

/** Texts unchanged, anything else as JSON, with numbers in their source text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

const has = (value: unknown): boolean => value !== null && value !== undefined;

const withEnds = ({ path, a, b }: Difference) => ({
  path,
  has: { a: has(a), b: has(b) },
  ends: commonEnds(has(a) ? textOf(a) : '', has(b) ? textOf(b) : ''),
});

function Value({ side, path, has: hasValue, ends }: ReturnType<typeof withEnds> & { side: 'a' | 'b' }) {
  if (!hasValue[side]) return <span className="muted">{unsetLabel(path)}</span>;
  return <Marked start={ends.start} middle={ends[side]} end={ends.end} />;
}

function Marked({ start, middle, end }: { start: string; middle: string; end: string }) {
  const before = start.length > CONTEXT ? `...${start.slice(-CONTEXT)}` : start;
  const after = end.length > CONTEXT ? `${end.slice(0, CONTEXT)}...` : end;
  const isCut = middle.length > MAX_CHARACTERS;
  return (
    <pre className="given-block">
      {visible(before.toWellFormed())}
      {middle && <mark>{visible(middle.slice(0, MAX_CHARACTERS).toWellFormed())}</mark>}
      {isCut ? ` ... and ${(middle.length - MAX_CHARACTERS).toLocaleString('en')} more characters` : ''}
      {visible(after.toWellFormed())}
    </pre>
  );
}
