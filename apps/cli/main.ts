import { exitOnClosedPipe } from './output/terminal.js';
import { runProgram } from './run-program.js';

exitOnClosedPipe();
await runProgram(process.argv.slice(2));
