import TestRunner from 'jest-runner';

/** Runs files one after another, once all files of the other runners have ended. */
export default class AloneRunner extends TestRunner {
  isSerial = true;
}
