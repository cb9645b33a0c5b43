import { evolutionary, quick } from './evolutionary.js';
import { reflective } from './reflective.js';
import type { Journal, Search, SearchSettings } from './search.js';

const MODES: Record<SearchSettings['mode'], (journal: Journal) => Search> = { quick, evolutionary, reflective };

export const beginSearch = (journal: Journal): Search => MODES[journal.settings.mode](journal);
