import { useState } from 'react';
import type { PromptsSearch } from '../../address/prompts';
import { SuiteFilter } from '../../parts/suite-filter';

type Narrow = (change: Partial<PromptsSearch>) => void;

/** Filters of the version list. They are in the address, so that a shared link shows the same list. */
export function PromptFilters({ search, narrow }: { search: PromptsSearch; narrow: Narrow }) {
  const { suite } = search;
  return (
    <div className="actions" role="search" aria-label="Filter prompt versions">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <TagFilter key={search.tag ?? ''} tag={search.tag} narrow={narrow} />
    </div>
  );
}

function TagFilter({ tag, narrow }: { tag: string | undefined; narrow: Narrow }) {
  const [text, setText] = useState(tag ?? '');
  const apply = (): void => {
    const next = text.trim() || undefined;
    if (next !== tag) narrow({ tag: next });
  };
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label>
        Tag{' '}
        <input
          value={text}
          maxLength={50}
          placeholder="any"
          onChange={({ target }) => setText(target.value)}
          onBlur={apply}
        />
      </label>
    </form>
  );
}
