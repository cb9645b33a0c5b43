export { topModel } from './run-score';
