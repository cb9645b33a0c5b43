import { JsonView } from '../../../ui/json-view';
import { UserBlock, UserText } from '../../../ui/user-text';
import type { Result } from '../api';
import { ArgumentDiff } from './argument-diff';
import { pairedCalls, toolName, type Called, type PairedCalls } from './paired-calls';
import { ResultPart } from './result-details';
import css from './results.module.css';

const FIRST_LINES = 100;

interface Props {
  result: Pick<Result, 'expected' | 'called' | 'evidence' | 'outcome'>;
  /** Whose result it is, if there are several in one view. */
  of?: string;
}

/** Expected and actual calls, one by one. */
export function Calls({ result, of }: Props) {
  const lines = pairedCalls(result);
  const isChain = result.evidence?.chain !== undefined;
  return (
    <ResultPart title="Expected and called" of={of} className={css.calls}>
      {lines.length === 0 && <p>No call was expected, and none was made.</p>}
      {lines.length > 0 && result.expected.tool === null && !result.expected.calls?.length && (
        <p>No call was expected.</p>
      )}
      {isChain && <p className="muted small">Intermediate calls are listed below the expected one.</p>}
      {lines.slice(0, FIRST_LINES).map((line, index) => (
        <Line
          key={index}
          label={labelOf(index, lines.length, of)}
          line={line}
          wasAnswered={result.outcome === 'scored'}
          onTheWay={isChain}
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
  label: string;
  line: PairedCalls;
  wasAnswered: boolean;
  onTheWay: boolean;
}

function Line({ label, line: { expected, called, checks, extra }, wasAnswered, onTheWay }: LineProps) {
  const isPair = expected !== undefined && called !== undefined;
  return (
    <div className={`${css.line} ${isPair ? css.pair : ''}`}>
      <div className={css.sides}>
        <div>
          <span className="muted small">Expected</span>{' '}
          {expected ? (
            <code className="given">
              <UserText text={toolName(expected.tool)} />
            </code>
          ) : (
            <span className="muted">nothing</span>
          )}
        </div>
        <div>
          <span className="muted small">Called</span>{' '}
          {called ? (
            <CalledName call={called} />
          ) : (
            <span className="muted">{wasAnswered ? 'not called' : 'no reply'}</span>
          )}
          {called && !expected && <span className={css.chip}>{onTheWay ? 'intermediate' : 'unexpected'}</span>}
        </div>
      </div>
      {isPair && <ArgumentDiff checks={checks} extra={extra} label={label} />}
      {expected && !called && expected.params !== null && expected.params !== undefined && (
        <Arguments label="Expected arguments" value={expected.params} />
      )}
      {called && !expected && called.arguments !== null && <Arguments label="Arguments" value={called.arguments} />}
      {called?.raw !== undefined && (
        <>
          <p className="small">Malformed arguments:</p>
          <UserBlock text={called.raw} code />
        </>
      )}
    </div>
  );
}

const Arguments = ({ label, value }: { label: string; value: unknown }) => (
  <div>
    <span className="muted small">{label}</span>
    <JsonView value={value} />
  </div>
);

const CalledName = ({ call: { name, repairs } }: { call: Called }) => (
  <>
    <code className="given">
      <UserText text={name} max={300} />
    </code>
    {repairs?.map((repair) => (
      <span className={css.chip} key={repair}>
        repaired: {repair.replaceAll('_', ' ')}
      </span>
    ))}
  </>
);
