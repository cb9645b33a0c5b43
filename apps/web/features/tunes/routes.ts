import { screen } from '../../screen';
import { tunesSearch, tuneNewSearch } from './address';

export const tunesRoutes = [
  screen('/tunes', () => import('./screens/tunes-screen'), 'TunesScreen', { search: tunesSearch }),
  screen('/tunes/new', () => import('./screens/tune-new/tune-new-screen'), 'TuneNewScreen', { search: tuneNewSearch }),
  screen('/tunes/$tuneId', () => import('./screens/tune/tune-screen'), 'TuneScreen'),
] as const;
