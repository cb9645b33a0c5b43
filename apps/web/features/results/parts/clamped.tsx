import { useState } from 'react';
import { count } from '../../../ui/amounts';
import { UserBlock } from '../../../ui/user-text';
import css from './results.module.css';

const LINES = 3;
/** About how many characters fit on a line. */
const LINE = 80;
/** More of a text is not rendered while it is folded. */
const MAX_FOLDED = LINES * LINE * 4;

const linesOf = (text: string): number =>
  text
    .slice(0, MAX_FOLDED)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0);

/** The first lines of a text, and a button that shows the rest. @param what names the text */
export function Clamped({ text, what }: { text: string; what: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || linesOf(text) <= LINES) return <UserBlock text={text} />;
  return (
    <div>
      <div className={css.clamped}>
        <UserBlock text={text.slice(0, MAX_FOLDED)} />
      </div>
      <button type="button" className="plain dense" onClick={() => setWhole(true)}>
        Whole {what} ({count(text.length)} characters)
      </button>
    </div>
  );
}
