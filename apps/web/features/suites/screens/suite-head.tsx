import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../api/session';
import { CopiedId } from '../../../ui/buttons';
import { ExportAs } from '../../../ui/export-as';
import { Head } from '../../../ui/head';
import { Icon, Play } from '../../../ui/icons';
import { MenuItem, MenuLink, MenuSeparator } from '../../../ui/menu';
import { UserText } from '../../../ui/user-text';
import { DeleteSuite } from '../parts/delete-suite';

const TRAIL = [{ to: '/suites', label: 'Suites' }] as const;

/** The name of a suite, and what can be done with it. */
export function SuiteHead({ suite }: { suite: Suite }) {
  const { id, name, version, description } = suite;
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Head
        title={name}
        trail={TRAIL}
        status={
          <>
            <Link to="/suites/$suiteId/versions" params={{ suiteId: id }}>
              Version {version}
            </Link>
            <Link to="/prompts" search={{ suite: id }}>
              Prompt versions
            </Link>
            <Link to="/runs" search={{ suite: id }}>
              Runs
            </Link>
            <CopiedId id={id} what="suite" />
          </>
        }
        actions={
          <>
            <ExportSuite suiteId={id} />
            <RunLink suite={suite} />
          </>
        }
        menu={<RareActions suite={suite} remove={() => setDeleting(true)} />}
      />
      {description && (
        <p>
          <UserText text={description} max={500} />
        </p>
      )}
      {isDeleting && (
        <DeleteSuite suite={suite} close={() => setDeleting(false)} onDone={() => navigate({ to: '/suites' })} />
      )}
    </>
  );
}

/** Why the suite cannot be run or tuned; undefined if it can. */
function usePlayRefusal({ test_cases_count: cases }: Suite): string | undefined {
  return useRefusal('editor') ?? (cases === 0 ? 'The suite has no cases yet.' : undefined);
}

function RunLink({ suite }: { suite: Suite }) {
  const refusal = usePlayRefusal(suite);
  return refusal === undefined ? (
    <Link to="/runs/new" search={{ suite: suite.id }} className="button primary">
      <Icon of={Play} />
      Run
    </Link>
  ) : (
    <button type="button" disabled title={refusal}>
      Run
    </button>
  );
}

function RareActions({ suite, remove }: { suite: Suite; remove: () => void }) {
  const refusal = useRefusal('editor');
  const navigate = useNavigate();
  const play = usePlayRefusal(suite);
  const search = { suite: suite.id };
  return (
    <>
      <MenuItem refusal={play} onSelect={() => void navigate({ to: '/tunes/new', search })}>
        Tune parameters
      </MenuItem>
      <MenuItem refusal={play} onSelect={() => void navigate({ to: '/tunes/new-prompt', search })}>
        Tune prompts
      </MenuItem>
      {suite.mcp_url !== null && (
        <MenuLink to="/suites/$suiteId/mcp" params={{ suiteId: suite.id }}>
          Update tools from MCP
        </MenuLink>
      )}
      <MenuSeparator />
      <MenuItem danger refusal={refusal} onSelect={remove}>
        Delete
      </MenuItem>
    </>
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
