export { shownInterval } from './run-score';
