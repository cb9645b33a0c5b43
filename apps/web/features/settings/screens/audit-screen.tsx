import { useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { AuditEntry } from '#lib/contracts/audit';
import { useRefusal } from '../../../api/session';
import { MoreButton } from '../../../ui/buttons';
import { useKnown } from '../../../ui/combobox';
import { Empty } from '../../../ui/empty';
import { useExport } from '../../../ui/export-as';
import { DayFilter, FilterBar, PickFilter, TypedFilter } from '../../../ui/filters';
import { Section, Skeleton } from '../../../ui/query-boundary';
import { Table } from '../../../ui/table';
import { membersQuery, tokensQuery } from '../access';
import type { AuditSearch } from '../address';
import { actionWords, auditActions, auditExportPath, auditQuery } from '../audit';
import { useOperatorRefusal } from '../operator';
import { auditColumns } from '../parts/audit-columns';
import { AuditDetails } from '../parts/audit-details';
import { TeamChoice } from '../parts/team-choice';
import { SettingsPage } from './settings-page';

export { loadAudit } from '../audit';

const ROWS = 20;

/** Who changed what, and what was refused. */
export function AuditScreen() {
  const search = useSearch({ from: '/signed-in/settings/audit' });
  const refusal = useRefusal('owner');
  return (
    <SettingsPage title="Audit" about="Every change, with who made it and what it changed; and what was refused.">
      {refusal === undefined ? (
        <>
          <Filters search={search} />
          <Section id="entries" title="Entries" rows={ROWS} action={<Export search={search} />}>
            <Entries search={search} />
          </Section>
        </>
      ) : (
        <Empty>Only owners read the audit of the team. {refusal}</Empty>
      )}
    </SettingsPage>
  );
}

type Narrow = (change: Partial<AuditSearch>) => void;
function useNarrow(search: AuditSearch): Narrow {
  const navigate = useNavigate();
  return (change) => void navigate({ to: '/settings/audit', search: { ...search, ...change } });
}

/** Filters of the list. They are in the address, so that a shared link shows the same list. */
function Filters({ search }: { search: AuditSearch }) {
  const narrow = useNarrow(search);
  const isOperator = useOperatorRefusal('see other teams') === undefined;
  const { action, subject, address, request, from, to, team } = search;
  return (
    <FilterBar label="Filter of the audit">
      {isOperator && (
        // Nobody and nothing of another team is in this one.
        <TeamChoice team={team} choose={(chosen) => narrow({ ...NO_ONE, team: chosen })} />
      )}
      <PickFilter
        label="Action"
        value={action}
        chosen={action === undefined ? '' : actionWords(action)}
        lookup={useKnown(ACTIONS)}
        choose={(chosen) => narrow({ action: chosen })}
      />
      <WhoFilters {...{ search, narrow }} />
      <TypedFilter label="Subject" value={subject} maxLength={200} choose={(chosen) => narrow({ subject: chosen })} />
      <DayFilter label="From" value={from} choose={(day) => narrow({ from: day })} />
      <DayFilter label="To" value={to} choose={(day) => narrow({ to: day })} />
      <details open={(address ?? request) !== undefined}>
        <summary>More filters</summary>
        <div className="actions">
          <TypedFilter
            label="Address"
            value={address}
            maxLength={45}
            choose={(chosen) => narrow({ address: chosen })}
          />
          <TypedFilter
            label="Request"
            value={request}
            maxLength={100}
            choose={(chosen) => narrow({ request: chosen })}
          />
        </div>
      </details>
    </FilterBar>
  );
}

const ACTIONS = auditActions();
const NO_ONE = { person: undefined, token: undefined, subject: undefined };

/** People and tokens of the team, and those of the entries that are shown. */
function WhoFilters({ search, narrow }: { search: AuditSearch; narrow: Narrow }) {
  const { person, token, team } = search;
  const members = useInfiniteQuery({ ...membersQuery, enabled: team === undefined }).data;
  const tokens = useInfiniteQuery({ ...tokensQuery, enabled: team === undefined }).data;
  const shown = useInfiniteQuery(auditQuery(search)).data?.pages.flatMap(({ items }) => items) ?? [];
  const people = optionsOf(
    members?.pages.flatMap(({ items }) => items),
    shown.map(({ user }) => user),
  );
  const all = optionsOf(
    tokens?.pages.flatMap(({ items }) => items),
    shown.map((entry) => entry.token),
  );
  const nameIn = (options: typeof people, id: string | undefined): string =>
    id === undefined ? '' : (options.find(({ value }) => value === id)?.name ?? id);
  return (
    <>
      <PickFilter
        label="Person"
        value={person}
        chosen={nameIn(people, person)}
        lookup={useKnown(people)}
        choose={(chosen) => narrow({ person: chosen })}
      />
      <PickFilter
        label="Token"
        value={token}
        chosen={nameIn(all, token)}
        lookup={useKnown(all)}
        choose={(chosen) => narrow({ token: chosen })}
      />
    </>
  );
}

interface Named {
  id: string;
  name: string | null;
}
const optionsOf = (known: readonly Named[] = [], shown: readonly (Named | null)[]) =>
  [...new Map([...shown, ...known].flatMap((one) => (one ? [[one.id, one]] : []))).values()].map(({ id, name }) => ({
    value: id,
    name: name ?? id,
  }));

function Export({ search }: { search: AuditSearch }) {
  const { start, isPending, state } = useExport();
  return (
    <>
      {!isPending && (
        <button type="button" onClick={() => start(auditExportPath(search), 'audit.jsonl')}>
          Export as JSON lines
        </button>
      )}
      {state}
    </>
  );
}

/** A page may hold few entries, or none, though older ones match: so many are looked for, on at most so many pages. */
const [ENOUGH, MOST_PAGES] = [20, 20];

function Entries({ search }: { search: AuditSearch }) {
  const list = useSuspenseInfiniteQuery(auditQuery(search));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = list.data.pages.flatMap(({ items }) => items);
  const narrow = useNarrow(search);
  const { hasNextPage: isMore, isFetchNextPageError: hasFailed, isFetchingNextPage: isReading, fetchNextPage } = list;
  const pages = list.data.pages.length;
  const readsOn = rows.length < ENOUGH && isMore && !hasFailed && pages < MOST_PAGES;
  useEffect(() => {
    if (readsOn && !isReading) void fetchNextPage();
  }, [readsOn, isReading, fetchNextPage]);
  if (rows.length === 0 && readsOn) return <Skeleton rows={ROWS} label="Looking among older entries" />;
  if (rows.length === 0 && !isMore) return <NoEntries search={search} />;
  const toggle = ({ id }: AuditEntry): void =>
    setOpen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <>
      {rows.length === 0 && <Empty>Nothing matches among the newest entries.</Empty>}
      <Table
        label="List of entries"
        className="run-rows"
        hasCards
        rows={rows}
        keyOf={({ id }) => id}
        columns={auditColumns({ isOpen: ({ id }) => open.has(id), toggle })}
        below={(entry) => open.has(entry.id) && <AuditDetails entry={entry} narrow={narrow} />}
      />
      <MoreButton of={list}>Older entries</MoreButton>
    </>
  );
}

const NoEntries = ({ search: { team, ...filter } }: { search: AuditSearch }) => (
  <Empty>
    {Object.values(filter).some((value) => value !== undefined)
      ? 'No entries match.'
      : `Nothing has been changed in ${team === undefined ? 'your' : 'this'} team yet.`}
  </Empty>
);
