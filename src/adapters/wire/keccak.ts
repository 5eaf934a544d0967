import { createKeccak } from 'hash-wasm';

/**
 * Keccak-256 of some bytes: 32 fresh bytes. Synchronous, so it may stand between a durable record
 * and a signature.
 */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

let loading: Promise<Keccak> | null = null;

/**
 * Loads the native-speed hash, once in a process: its start takes real time, which no virtual clock
 * shows. The function it gives is synchronous.
 */
export function loadKeccak(): Promise<Keccak> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Keccak> {
  const hasher = await createKeccak(256);
  // One hasher serves all callers: nothing is awaited between init and digest.
  return (bytes) => hasher.init().update(bytes).digest('binary');
}
