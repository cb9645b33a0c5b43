import { createSimulator } from './server.js';

const port = Number(process.env.PORT ?? 8502);
const seed = Number(process.env.SIMULATOR_SEED ?? 1);
const problems = [
  ...(Number.isInteger(port) && port >= 0 && port < 65_536
    ? []
    : [`PORT must be a port number, not "${process.env.PORT}".`]),
  ...(Number.isSafeInteger(seed)
    ? []
    : [`SIMULATOR_SEED must be a whole number, not "${process.env.SIMULATOR_SEED}".`]),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}

const simulator = createSimulator({ seed });
try {
  console.log(
    JSON.stringify({
      msg: 'The simulator listens.',
      port: await simulator.listen(port, process.env.TOOLMARK_HOST || undefined),
    }),
  );
} catch (error) {
  console.error(`The simulator cannot listen on port ${port}: ${(error as Error).message}. Set PORT to a free one.`);
  process.exit(1);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => void simulator.close().then(() => process.exit(0)));
