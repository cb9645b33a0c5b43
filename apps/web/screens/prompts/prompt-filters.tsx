import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PromptsSearch } from '../../address/prompts';
import { suiteHeadsQuery } from '../../api/suite-heads';
import { visible } from '../../parts/given';

type Narrow = (change: Partial<PromptsSearch>) => void;

/** Which versions are shown. The address has it, so that another reader sees the same. */
export function PromptFilters({ search, narrow }: { search: PromptsSearch; narrow: Narrow }) {
  const suites = useQuery(suiteHeadsQuery);
  const { suite } = search;
  const isListed = suites.data?.items.some(({ id }) => id === suite);
  return (
    <div className="actions" role="search" aria-label="Filter of prompt versions">
      <label>
        Suite{' '}
        <select
          data-filter
          className="bounded"
          value={suite ?? ''}
          onChange={({ target }) => narrow({ suite: target.value || undefined })}
        >
          <option value="">all</option>
          {suite !== undefined && !isListed && <option value={suite}>{suite}</option>}
          {suites.data?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </select>
      </label>
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
