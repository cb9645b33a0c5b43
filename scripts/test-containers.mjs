// Postgres and Redis in containers until standard input ends. Prints their URLs as one line of JSON.
import { GenericContainer, Wait } from 'testcontainers';

const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];
const [postgres, redis] = await Promise.all([
  new GenericContainer('postgres:18-alpine')
    .withEnvironment({ POSTGRES_USER: 'toolmark', POSTGRES_PASSWORD: 'toolmark', POSTGRES_DB: 'toolmark' })
    .withCommand(['postgres', ...settings.flatMap((setting) => ['-c', setting])])
    .withExposedPorts(5432)
    // Postgres starts twice: the first time only to create the database.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start(),
  new GenericContainer('redis:7-alpine')
    .withCommand(['redis-server', '--save', '', '--databases', '64', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start(),
]);
console.log(
  JSON.stringify({
    databaseUrl: `postgresql://toolmark:toolmark@${postgres.getHost()}:${postgres.getMappedPort(5432)}/toolmark`,
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
  }),
);
process.stdin.resume().once('end', () => void Promise.all([postgres.stop(), redis.stop()]).then(() => process.exit(0)));
