export * from '../api';
