import type { ReactNode } from 'react';
import { UserBlock, UserText } from '../../../ui/user-text';
import type { Result } from '../api';
import { ArgumentDiff } from './argument-diff';
import { argumentsApart, pairedCalls, toolName, type Called, type PairedCalls } from './paired-calls';
import { ResultPart } from './result-details';
import css from './results.module.css';

const FIRST_LINES = 100;

interface Props {
  result: Pick<Result, 'expected' | 'called' | 'evidence' | 'outcome'>;
  /** Whose result it is, if there are several in one view. */
  of?: string;
}

/** Expected and actual calls as one difference, in their order; nothing where a conversation's goal names no calls. */
export function Calls({ result, of }: Props) {
  const lines = pairedCalls(result);
  const isChain = result.evidence?.chain !== undefined;
  const first = lines.findIndex((line) => line.checks.length + line.extra.length + argumentsApart(line).length > 0);
  if (result.evidence?.conversation?.calls === null) return null;
  const expectsNone = result.expected.tool === null && !result.expected.calls?.length;
  return (
    <ResultPart title="Expected and called" of={of} className={css.calls}>
      {lines.length === 0 && (
        <p>
          {result.outcome === 'errored'
            ? 'No call was expected; there is no reply.'
            : 'No call was expected, and none was made.'}
        </p>
      )}
      {lines.length > 0 && expectsNone && (
        <p>No call was expected, but {lines.length === 1 ? 'one was' : 'some were'} made.</p>
      )}
      {isChain && <p className="muted small">Intermediate calls are listed below the expected one.</p>}
      {lines.slice(0, FIRST_LINES).map((line, index) => (
        <Line
          key={index}
          nth={lines.length > 1 ? index + 1 : undefined}
          label={labelOf(index, lines.length, of)}
          line={line}
          wasAnswered={result.outcome === 'scored'}
          onTheWay={isChain}
          isContinued={first >= 0 && index > first}
        />
      ))}
      {lines.length > FIRST_LINES && (
        <p className="muted">{lines.length - FIRST_LINES} more calls, all listed in the exchange.</p>
      )}
    </ResultPart>
  );
}

/** The label of an argument table, unique in the view. */
function labelOf(index: number, count: number, of: string | undefined): string {
  const which = count > 1 ? `Arguments of call ${index + 1}` : 'Arguments';
  return of === undefined ? which : `${which}, ${of.slice(0, 300)}`;
}

interface LineProps {
  /** Its number, if there are several. */
  nth: number | undefined;
  label: string;
  line: PairedCalls;
  wasAnswered: boolean;
  onTheWay: boolean;
  isContinued: boolean;
}

function Line({ nth, label, line, wasAnswered, onTheWay, isContinued }: LineProps) {
  const { expected, called, checks, extra, isOther } = line;
  const isPair = expected !== undefined && called !== undefined && !isOther;
  return (
    <div className={css.line}>
      <p className={css.tools}>
        {nth !== undefined && <span className="muted">{nth}.</span>}
        <Tools line={line} wasAnswered={wasAnswered} onTheWay={onTheWay} />
      </p>
      {isPair ? (
        <ArgumentDiff {...{ checks, extra, label, isContinued }} />
      ) : (
        <ArgumentDiff
          checks={[]}
          apart={argumentsApart(line)}
          isAlone={nth === undefined}
          {...{ label, isContinued }}
        />
      )}
      {called?.raw !== undefined && (
        <>
          <p className="small">Malformed arguments:</p>
          <UserBlock text={called.raw} code />
        </>
      )}
    </div>
  );
}

/** The tools of a line: one where the expected one was called, else what was expected and what was called. */
function Tools({
  line: { expected, called, isOther },
  wasAnswered,
  onTheWay,
}: Pick<LineProps, 'line' | 'wasAnswered' | 'onTheWay'>) {
  if (!called)
    return (
      <>
        <ToolName name={toolName(expected?.tool)} /> <Bad>{wasAnswered ? '− not called' : 'no reply'}</Bad>
      </>
    );
  if (!expected)
    return (
      <>
        <CalledName call={called} />{' '}
        {onTheWay ? <span className={css.chip}>intermediate</span> : <Bad>+ unexpected</Bad>}
      </>
    );
  if (toolName(expected.tool) === called.name)
    return (
      <>
        <CalledName call={called} /> <Good />
      </>
    );
  return (
    <>
      <ToolName name={toolName(expected.tool)} /> <span aria-hidden="true">→</span> <CalledName call={called} />{' '}
      {isOther ? <Bad>≠ other tool</Bad> : <Good />}
    </>
  );
}

const Bad = ({ children }: { children: ReactNode }) => <span className={css.bad}>{children}</span>;
const Good = () => (
  <span className={css.good}>
    <span aria-hidden="true">✓</span> <span className="unseen">called as expected</span>
  </span>
);

const ToolName = ({ name }: { name: string }) => (
  <code className="given">
    <UserText text={name} max={300} />
  </code>
);

const CalledName = ({ call: { name, repairs } }: { call: Called }) => (
  <>
    <ToolName name={name} />
    {repairs?.map((repair) => (
      <span className={css.chip} key={repair}>
        repaired: {repair.replaceAll('_', ' ')}
      </span>
    ))}
  </>
);
