import { linkOptions, type LinkProps } from '@tanstack/react-router';
import type { SearchMatch } from '#lib/contracts/search';
import type { SearchType } from '#lib/contracts/values/search';
import { guideAddress } from '../../../ui/guide.js';
import { nextTheme } from '../../../ui/theme.js';

/** A line of the palette: where it leads, or what it does. */
export interface Entry {
  key: string;
  name: string;
  /** Shown next to the name. */
  about?: string;
  /** Further words by which it is found. */
  words?: string;
  to?: Pick<LinkProps, 'to' | 'params' | 'search'>;
  act?: () => void;
}

/** Entries under a heading. */
export interface EntryGroup {
  name: string;
  entries: readonly Entry[];
}

const GROUP_NAMES: Record<SearchType, string> = {
  suite: 'Suites',
  run: 'Runs',
  model: 'Models',
  experiment: 'Experiments',
  gate: 'Gates',
  prompt: 'Prompt versions',
  case: 'Cases',
};

const open = (address: string) => () => void window.open(address, '_blank', 'noreferrer');

/** What can be done from anywhere. */
export const actionsOf = (openKeys: () => void): readonly Entry[] => [
  { key: 'new-run', name: 'New run', words: 'start submit eval', to: linkOptions({ to: '/runs/new' }) },
  { key: 'new-suite', name: 'New suite', words: 'create', to: linkOptions({ to: '/suites/new' }) },
  { key: 'import', name: 'Import a suite', words: 'file mcp json yaml csv', to: linkOptions({ to: '/import' }) },
  { key: 'new-experiment', name: 'New experiment', words: 'create', to: linkOptions({ to: '/experiments/new' }) },
  { key: 'new-gate', name: 'New gate', words: 'create release', to: linkOptions({ to: '/gates/new' }) },
  { key: 'new-tune', name: 'Tune parameters', words: 'new temperature', to: linkOptions({ to: '/tunes/new' }) },
  { key: 'new-prompt-tune', name: 'Tune prompts', words: 'new', to: linkOptions({ to: '/tunes/new-prompt' }) },
  { key: 'provider', name: 'Connect a provider', words: 'new', to: linkOptions({ to: '/operate/providers/new' }) },
  { key: 'label', name: 'Label results', words: 'judge calibration', to: linkOptions({ to: '/judge/labels' }) },
  { key: 'runs', name: 'Go to runs', words: 'history', to: linkOptions({ to: '/runs' }) },
  { key: 'suites', name: 'Go to suites', to: linkOptions({ to: '/suites' }) },
  { key: 'experiments', name: 'Go to experiments', to: linkOptions({ to: '/experiments' }) },
  { key: 'activity', name: 'Go to activity', words: 'jobs queue', to: linkOptions({ to: '/jobs' }) },
  { key: 'lanes', name: 'Go to lanes', words: 'operate', to: linkOptions({ to: '/operate/lanes' }) },
  { key: 'spending', name: 'Go to spending', words: 'cost money', to: linkOptions({ to: '/operate/spending' }) },
  {
    key: 'people',
    name: 'Go to people',
    words: 'settings invite members',
    to: linkOptions({ to: '/settings/people' }),
  },
  { key: 'tokens', name: 'Go to tokens', words: 'settings', to: linkOptions({ to: '/settings/tokens' }) },
  { key: 'account', name: 'Go to your account', words: 'settings', to: linkOptions({ to: '/settings/account' }) },
  { key: 'theme', name: 'Change theme', words: 'dark light', act: () => void nextTheme() },
  { key: 'keys', name: 'Keyboard shortcuts', words: 'help', act: openKeys },
  { key: 'guide', name: 'Open the guide', words: 'help docs', act: open(guideAddress('README')) },
  { key: 'glossary', name: 'Open the glossary', words: 'help terms docs', act: open(guideAddress('glossary')) },
  { key: 'api', name: 'Open the API reference', words: 'docs openapi', act: open('/docs') },
];

/** The entries that have all words of a text; those whose names begin with it first. */
export function matchingEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/);
  const begins = ({ name }: Entry): boolean => name.toLowerCase().startsWith(text.toLowerCase());
  return entries
    .filter(({ name, words: more = '' }) => {
      const own = `${name} ${more}`.toLowerCase();
      return words.every((word) => own.includes(word));
    })
    .toSorted((one, other) => Number(begins(other)) - Number(begins(one)));
}

/** What a search has found, by type; the type with the best match comes first. */
export function groupsOf(matches: readonly SearchMatch[]): EntryGroup[] {
  const byType = Map.groupBy(matches, ({ type }) => type);
  return [...byType].map(([type, found]) => ({ name: GROUP_NAMES[type], entries: found.map(entryOf) }));
}

export function entryOf(match: SearchMatch): Entry {
  const { type, id, name, suite } = match;
  const isOfSuite = suite !== null && suite.name !== name;
  return {
    key: `${type} ${id}`,
    name: name || 'Unnamed',
    ...(isOfSuite && { about: suite.name }),
    ...(type === 'model' && name !== id && { about: id }),
    to: placeOf(match),
  };
}

function placeOf({ type, id, suite }: SearchMatch): NonNullable<Entry['to']> {
  switch (type) {
    case 'run':
      return linkOptions({ to: '/runs/$runId', params: { runId: id } });
    case 'suite':
      return linkOptions({ to: '/suites/$suiteId', params: { suiteId: id } });
    case 'case':
      return linkOptions({ to: '/suites/$suiteId/cases/$caseId', params: { suiteId: suite!.id, caseId: id } });
    case 'model':
      return linkOptions({ to: '/runs', search: { model: id } });
    case 'experiment':
      return linkOptions({ to: '/experiments/$experimentId', params: { experimentId: id } });
    case 'gate':
      return linkOptions({ to: '/gates/$gateId', params: { gateId: id } });
    case 'prompt':
      return linkOptions({ to: '/prompts/$promptId', params: { promptId: id } });
  }
}
