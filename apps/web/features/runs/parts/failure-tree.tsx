import { useRef, useState, type KeyboardEvent } from 'react';
import type { FailureGroup } from '#lib/contracts/run-facets';
import { count } from '../../../ui/amounts';
import { UserLine } from '../../../ui/user-text';
import type { Branch } from './failure-branches';
import css from './failure-tree.module.css';
import { ModelStrip } from './model-strip';

interface Props {
  label: string;
  branches: readonly Branch[];
  targets: readonly string[];
  /** The id of the group that is open. */
  chosen: string | undefined;
  choose: (group: FailureGroup) => void;
}

/** A row that is shown, where it stands. */
interface Row {
  branch: Branch;
  level: number;
  place: number;
  of: number;
  parent: Branch | undefined;
}

/** With more rows, what is below the error types begins closed. */
const MAX_OPEN_ROWS = 30;

/** Failures by cause, with a bar for how many and a strip of the models that failed so. */
export function FailureTree({ label, branches, targets, chosen, choose }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtFirst(branches, chosen));
  const [active, setActive] = useState<string>();
  const items = useRef(new Map<string, HTMLElement>());
  const rows = rowsOf(branches, open);
  const most = Math.max(1, ...branches.map((branch) => branch.count));
  const current = rows.find(({ branch }) => branch.key === (active ?? chosen)) ?? rows[0];
  const turn = ({ key, children }: Branch, isOpen = !open.has(key)): void => {
    if (children.length > 0) setOpen((now) => new Set(isOpen ? [...now, key] : [...now].filter((one) => one !== key)));
  };
  const focus = (branch: Branch | undefined): void => items.current.get(branch?.key ?? '')?.focus();
  const pick = (branch: Branch): void => (branch.group ? choose(branch.group) : turn(branch));
  const press = (event: KeyboardEvent, row: Row): void => {
    const does = keysOf(row, { rows, open, turn, focus, pick })[event.key];
    if (!does || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  };
  return (
    <div className={css.tree} role="tree" aria-label={label}>
      {rows.map((row) => {
        const { branch, level, place, of } = row;
        return (
          <div
            key={branch.key}
            ref={(element) => {
              if (element) items.current.set(branch.key, element);
              return () => void items.current.delete(branch.key);
            }}
            className={css.row}
            role="treeitem"
            aria-level={level}
            aria-setsize={of}
            aria-posinset={place}
            aria-expanded={branch.children.length > 0 ? open.has(branch.key) : undefined}
            aria-selected={branch.group !== undefined && branch.group.id === chosen}
            tabIndex={row === current ? 0 : -1}
            onFocus={() => setActive(branch.key)}
            onKeyDown={(event) => press(event, row)}
            onClick={() => pick(branch)}
          >
            <Cells row={row} isOpen={open.has(branch.key)} {...{ most, targets }} />
          </div>
        );
      })}
    </div>
  );
}

interface Acts {
  rows: readonly Row[];
  open: ReadonlySet<string>;
  turn: (branch: Branch, isOpen?: boolean) => void;
  focus: (branch: Branch | undefined) => void;
  pick: (branch: Branch) => void;
}

/** What keys do in a tree, as in the pattern of ARIA. */
function keysOf(row: Row, { rows, open, turn, focus, pick }: Acts): Readonly<Record<string, () => void>> {
  const { branch, parent } = row;
  const at = rows.indexOf(row);
  const isOpen = open.has(branch.key);
  return {
    ArrowDown: () => focus(rows[at + 1]?.branch),
    ArrowUp: () => focus(rows[at - 1]?.branch),
    Home: () => focus(rows[0]?.branch),
    End: () => focus(rows.at(-1)?.branch),
    ArrowRight: () => (isOpen ? focus(branch.children[0]) : turn(branch, true)),
    ArrowLeft: () => (isOpen ? turn(branch, false) : focus(parent)),
    Enter: () => pick(branch),
    ' ': () => pick(branch),
  };
}

interface CellProps extends Pick<Props, 'targets'> {
  row: Row;
  isOpen: boolean;
  /** The results of the largest error type, whose bar is full. */
  most: number;
}

const Cells = ({ row: { branch, level }, isOpen, most, targets }: CellProps) => (
  <>
    <span className={css.words} style={{ paddingInlineStart: (level - 1) * INDENT }}>
      <span className={css.arrow} aria-hidden="true">
        {branch.children.length > 0 && (isOpen ? '▾' : '▸')}
      </span>
      <UserLine text={branch.words} />
    </span>
    <span className={css.count}>
      <span className={css.bar} aria-hidden="true" style={{ width: `${(branch.count / most) * 100}%` }} />
      <span className={css.number}>{count(branch.count)}</span>
    </span>
    {targets.length > 1 && (
      <span className={css.models}>{branch.byTarget && <ModelStrip targets={targets} counts={branch.byTarget} />}</span>
    )}
  </>
);

const INDENT = 20;

const rowsOf = (branches: readonly Branch[], open: ReadonlySet<string>, level = 1, parent?: Branch): Row[] =>
  branches.flatMap((branch, index) => [
    { branch, level, place: index + 1, of: branches.length, parent },
    ...(open.has(branch.key) ? rowsOf(branch.children, open, level + 1, branch) : []),
  ]);

/** The error types, what leads to the chosen group, and all if there are few. Folds of single results stay closed. */
function openAtFirst(branches: readonly Branch[], chosen: string | undefined): Set<string> {
  const tools = branches.flatMap(({ children }) => children).filter(({ children }) => children.length > 0);
  const rows = branches.reduce((sum, { children }) => sum + 1 + children.length, 0);
  const inner = tools.filter(({ key }) => !key.endsWith(' singles'));
  const isSmall = inner.reduce((sum, { children }) => sum + children.length, rows) <= MAX_OPEN_ROWS;
  const leadsToIt = ({ children }: Branch): boolean => children.some(({ group }) => group?.id === chosen);
  return new Set([...branches, ...(isSmall ? inner : []), ...tools.filter(leadsToIt)].map(({ key }) => key));
}
