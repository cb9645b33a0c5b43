import { Link } from '@tanstack/react-router';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { UserText, UserLine } from '../../parts/user-text';
import { count } from '../../parts/score';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { OutcomeMark } from '../../parts/tune-outcome';
import type { Column } from '../../parts/table';

const MODELS_SHOWN = 5;

/** What the list shows of a prompt tune. */
export const PROMPT_TUNE_COLUMNS: Column<PromptTune>[] = [
  {
    name: 'Suite',
    className: 'named',
    cell: (tune) => (
      <Link to="/tunes/prompts/$tuneId" params={{ tuneId: tune.id }}>
        <UserLine text={`${tune.suite_name}, version ${tune.suite_version}`} />
      </Link>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'Mode', cell: ({ input }) => input.mode },
  { name: 'Candidates', isNumber: true, cell: ({ candidates }) => count(candidates) },
  { name: 'Models and results', cell: (tune) => <Found tune={tune} /> },
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];

const Found = ({ tune: { targets, outcome, text } }: { tune: PromptTune }) => (
  <div className="found">
    {targets.slice(0, MODELS_SHOWN).map((target) => (
      <UserLine key={target} text={target} />
    ))}
    {targets.length > MODELS_SHOWN && <span className="muted">and {targets.length - MODELS_SHOWN} more</span>}
    {outcome !== null && (
      <div>
        <OutcomeMark outcome={outcome} />
      </div>
    )}
    {text !== null && (
      <div className="small muted">
        <UserText text={text} max={300} />
      </div>
    )}
  </div>
);
