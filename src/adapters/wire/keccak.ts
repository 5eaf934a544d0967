import { createKeccak } from 'hash-wasm';

/** Keccak-256 of some bytes: 32 fresh bytes. Synchronous, so it may stand between a durable record and a signature. */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

/** Loads the native-speed hash once; the function it gives is synchronous and may be shared. */
export async function loadKeccak(): Promise<Keccak> {
  const hasher = await createKeccak(256);
  // One hasher serves all callers: nothing is awaited between init and digest.
  return (bytes) => hasher.init().update(bytes).digest('binary');
}
