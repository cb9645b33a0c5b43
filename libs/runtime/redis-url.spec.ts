import { parseRedisUrl } from './redis-url.js';

const error = (url: string): string => {
  try {
    return JSON.stringify(parseRedisUrl(url));
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

it('REDIS_URL names a server, a master watched by Sentinels, or a Redis Cluster', () => {
  expect(parseRedisUrl('rediss://:pw@host:6380/3')).toEqual({ kind: 'server', url: 'rediss://:pw@host:6380/3' });
  expect(
    parseRedisUrl('redis+sentinel://app:p%40ss@one:26380,10.0.0.2,[::1]:26381/mymaster/2?sentinel_password=s%26p'),
  ).toEqual({
    kind: 'sentinel',
    nodes: [
      { host: 'one', port: 26380 },
      { host: '10.0.0.2', port: 26379 },
      { host: '::1', port: 26381 },
    ],
    username: 'app',
    password: 'p@ss',
    tls: false,
    master: 'mymaster',
    database: 2,
    sentinelUsername: undefined,
    sentinelPassword: 's&p',
  });
  expect(parseRedisUrl('rediss+cluster://:pw@one,two:7001/0')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'one', port: 6379 },
      { host: 'two', port: 7001 },
    ],
    username: undefined,
    password: 'pw',
    tls: true,
  });
});

it('a REDIS_URL that cannot be used says what is wrong, and never its password', () => {
  expect(error('http://host')).toMatch(/^must be a URL such as redis:\/\/host:6379, redis\+sentinel:/);
  expect(error('redis+sentinel://a,b')).toBe('must name the master that the Sentinels watch, as in .../mymaster');
  expect(error('redis+sentinel://a/mymaster/x')).toBe('must end with /master or /master/<database>');
  expect(error('redis+cluster://a/1')).toBe('names a database, but a Redis Cluster has only one');
  expect(error('redis+cluster://:secret@a,b:99999')).toBe('has "b:99999" where a host:port has to be');
  expect(error('redis+cluster://a,,b')).toBe('has "" where a host:port has to be');
  expect(error('redis+cluster://a?sentinel_password=x')).toBe(
    'has "sentinel_password" after its "?", which is not known',
  );
  expect(error('redis+cluster://:50%@a')).toMatch(/^has a "%" that is not/);
  expect(error('redis+cluster://:se@cret@a')).toMatch(/^must be a URL such as/);
});
