import type { ServerKind } from '../../src/http/listener/listener.ts';

/** The server this run of the tests is about: that of Node in the project `node-server`. */
export function serverUnderTest(): ServerKind {
  return process.env['TEST_HTTP_SERVER'] === 'node' ? 'node' : 'uws';
}
