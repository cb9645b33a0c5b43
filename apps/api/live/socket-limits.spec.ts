import { EventEmitter } from 'node:events';
import { SocketCounts } from './socket-limits.js';

it('a team has a fifth of the connections of a process, however many users and tokens it makes', () => {
  const counts = new SocketCounts(100);
  const connections: (EventEmitter & { readyState: 'open' })[] = [];
  const take = (teamId: string, n: number): void => {
    const connection = Object.assign(new EventEmitter(), { readyState: 'open' as const });
    const caller = { kind: 'token' as const, tokenId: `t${n}`, personId: `p${n}`, userId: `u${n}`, teamId };
    counts.take(caller, connection as any);
    connections.push(connection);
  };
  for (let n = 0; n < 1000; n++) take('first', n);
  expect(() => take('first', 1001)).toThrow('Your team has 1000 live connections open already (the limit).');
  take('second', 1002);
  connections[0]!.emit('close');
  take('first', 1003);
  expect(() => take('first', 1004)).toThrow('Your team has');
});
