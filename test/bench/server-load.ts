import { once } from 'node:events';
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

/** What the clients of `servers.ts` do. */
export interface ServerLoad {
  readonly port: number;
  readonly connections: number;
  /** Of all connections together. */
  readonly calls: number;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
/** The whole answer ends so: it fits one packet on loopback. */
const END = 'hello';

const { port, connections, calls } = workerData as ServerLoad;
let left = calls;
await Promise.all(
  Array.from({ length: connections }, async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    while (left > 0) {
      left -= 1;
      socket.write(REQUEST);
      for (let answer = ''; !answer.endsWith(END); )
        answer += String((await once(socket, 'data'))[0]);
    }
    socket.destroy();
  }),
);
