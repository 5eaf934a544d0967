import { createRequire } from 'node:module';
import type * as secp256k1 from 'secp256k1';

/** A signature in 64 bytes (r ‖ s, low s by RFC 6979), and which of two keys it recovers. */
interface RecoverableSignature {
  readonly signature: Uint8Array;
  readonly recoveryId: number;
}

/** The curve of EVM chains. */
export interface Secp256k1 {
  /** `native` is libsecp256k1; `wasm` the same as WebAssembly, which takes twice as long. */
  readonly kind: 'native' | 'wasm';
  isPrivateKey(bytes: Uint8Array): boolean;
  /** The public key in 65 bytes. */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
  sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The public key in 65 bytes; throws where the bytes are no signature at all. */
  recover(digest: Uint8Array, signature: RecoverableSignature): Uint8Array;
}

type Native = Pick<
  typeof secp256k1,
  'privateKeyVerify' | 'publicKeyCreate' | 'ecdsaSign' | 'ecdsaRecover'
>;

/**
 * Returns libsecp256k1 as a native module; null where the package has no build for this machine. It
 * is asked for by its inner name: the outer one turns into slow JavaScript then.
 */
export function loadNative(): Secp256k1 | null {
  try {
    // the package exports the same functions whichever way it is loaded
    const native = createRequire(import.meta.url)('secp256k1/bindings') as Native;
    return {
      kind: 'native',
      isPrivateKey: (bytes) => native.privateKeyVerify(bytes),
      publicKeyOf: (privateKey) => native.publicKeyCreate(privateKey, false),
      sign(digest, privateKey) {
        const { signature, recid } = native.ecdsaSign(digest, privateKey);
        return { signature, recoveryId: recid };
      },
      recover: (digest, { signature, recoveryId }) =>
        native.ecdsaRecover(signature, recoveryId, digest, false),
    };
  } catch {
    return null;
  }
}

/** Returns the same by WebAssembly, on every machine. */
export async function loadWasm(): Promise<Secp256k1> {
  const wasm = await import('tiny-secp256k1');
  return {
    kind: 'wasm',
    isPrivateKey: (bytes) => wasm.isPrivate(bytes),
    publicKeyOf: (privateKey) => present(wasm.pointFromScalar(privateKey, false)),
    sign: (digest, privateKey) => wasm.signRecoverable(digest, privateKey),
    recover: (digest, { signature, recoveryId }) =>
      // ids beyond these are refused by the library itself
      present(wasm.recover(digest, signature, recoveryId as 0 | 1 | 2 | 3, false)),
  };
}

function present(point: Uint8Array | null): Uint8Array {
  if (point === null) throw new Error('no point of the curve');
  return point;
}

/** The better of both on this machine. */
export const curve: Secp256k1 = loadNative() ?? (await loadWasm());
