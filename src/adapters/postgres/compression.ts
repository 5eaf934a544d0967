import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** How frames are made small on their way to the engine, and whole again. */
export interface Compression {
  deflated(bytes: Uint8Array): Promise<Uint8Array>;
  inflated(bytes: Uint8Array): Promise<Uint8Array>;
}

/** On a thread of the runtime's own: the loop goes on meanwhile. */
export const ON_THREAD: Compression = {
  deflated: promisify(deflateRaw),
  inflated: promisify(inflateRaw),
};
