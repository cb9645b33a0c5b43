// Loaded before the gateway, which listens on all addresses and knows no option for another one.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest.filter((part) => typeof part === 'function'));
};
