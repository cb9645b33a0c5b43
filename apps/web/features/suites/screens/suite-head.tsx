import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Suite } from '#lib/contracts/suite';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton, CopiedId } from '../../../ui/buttons';
import { DeleteDialog } from '../../../ui/dialog';
import { ExportAs } from '../../../ui/export-as';
import { UserText } from '../../../ui/user-text';
import { deleteSuite, refreshSuites } from '../api';
import css from './suites.module.css';

/** The name of a suite, and what can be done with it. */
export function SuiteHead({ suite }: { suite: Suite }) {
  const { id, name, version, description } = suite;
  return (
    <header className={css.suiteHead}>
      <div className="head">
        <h1>
          <UserText text={name} max={200} />
        </h1>
        <Actions suite={suite} />
      </div>
      {description && (
        <p>
          <UserText text={description} max={500} />
        </p>
      )}
      <p className="muted">
        <Link to="/suites/$suiteId/versions/$version" params={{ suiteId: id, version: String(version) }}>
          Version {version} and changes
        </Link>
        {', '}
        <Link to="/prompts" search={{ suite: id }}>
          prompt versions
        </Link>{' '}
        <CopiedId id={id} what="suite" />
      </p>
    </header>
  );
}

function Actions({ suite }: { suite: Suite }) {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="actions">
      {PLAYS.map((play) => (
        <PlayLink key={play.to} {...play} suite={suite} />
      ))}
      <Link to="/suites/$suiteId/mcp" params={{ suiteId: suite.id }} className="button">
        Tools from MCP
      </Link>
      <ExportSuite suiteId={suite.id} />
      <AllowedButton refusal={refusal} onClick={() => setDeleting(true)}>
        Delete
      </AllowedButton>
      {isDeleting && (
        <DeleteSuite suite={suite} close={() => setDeleting(false)} onDone={() => navigate({ to: '/suites' })} />
      )}
    </div>
  );
}

const PLAYS = [
  { to: '/runs/new', words: 'Run', look: 'button primary' },
  { to: '/tunes/new', words: 'Tune parameters', look: 'button' },
  { to: '/tunes/new-prompt', words: 'Tune prompts', look: 'button' },
] as const;

function PlayLink({ to, words, look, suite }: (typeof PLAYS)[number] & { suite: Suite }) {
  const role = useRefusal('editor');
  const refusal = role ?? (suite.test_cases_count === 0 ? 'The suite has no cases yet.' : undefined);
  return refusal === undefined ? (
    <Link to={to} search={{ suite: suite.id }} className={look}>
      {words}
    </Link>
  ) : (
    <button type="button" disabled title={refusal}>
      {words}
    </button>
  );
}

const FILES = [
  ['json', 'JSON', 'json'],
  ['yaml', 'YAML', 'yaml'],
  ['jsonl', 'JSON Lines', 'jsonl'],
  ['csv', 'CSV', 'csv'],
  ['csv&bom=true', 'CSV for Excel', 'csv'],
  ['bfcl', 'BFCL (unsupported parts left out)', 'jsonl'],
] as const;

/** A suite as a file, in each format. */
const ExportSuite = ({ suiteId }: { suiteId: string }) => (
  <ExportAs
    files={FILES.map(([format, name, extension]) => ({
      format,
      name,
      path: `/api/tool-suites/${encodeURIComponent(suiteId)}/export?format=${format}`,
      fileName: `suite-${suiteId}.${extension}`,
    }))}
  />
);

interface Deleted {
  suite: { id: string; name: string; test_cases_count: number };
  close: () => void;
  /** Leaves what shows the suite. */
  onDone?: () => unknown;
}

export function DeleteSuite({ suite: { id, name, test_cases_count: cases }, close, onDone }: Deleted) {
  const { isPending, error, mutate } = useAction(deleteSuite, async () => {
    await onDone?.();
    queryClient.removeQueries({ queryKey: keys.suite(id) });
    void refreshSuites();
    close();
  });
  return (
    <DeleteDialog
      title="Delete this suite?"
      action="Delete the suite"
      act={() => mutate(id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={name} max={200} /> is deleted with its tools and its {cases.toLocaleString('en')}{' '}
        {cases === 1 ? 'case' : 'cases'}. Runs keep the version they ran.
      </p>
    </DeleteDialog>
  );
}
