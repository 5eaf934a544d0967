import {
  concatBytes,
  hexToBytes,
  keccak256,
  ripemd160,
  sha256,
  stringToBytes,
  type Hex,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { base58Of } from '../../../../adapters/wire/base58.ts';
import { ed25519Key, ed25519PublicBytes } from '../../../../adapters/wire/ed25519.ts';

/** Where one wallet's money is sent to, by family of chains, as the wire names them. */
export interface BridgeAddresses {
  readonly evm: Hex;
  readonly svm: string;
  readonly btc: string;
  readonly tvm: string;
}

/** Version bytes of addresses in base58 with a checksum. */
const BITCOIN_VERSION = 0x00;
const TRON_VERSION = 0x41;

/**
 * The deposit addresses of a wallet: keys of the bridge's own, made from the sandbox's seed, so
 * they are the same in every run. None of them is anybody's: they must never be sent real money.
 */
export function bridgeAddresses(seed: number, wallet: Hex): BridgeAddresses {
  const secret = (family: string): Hex =>
    keccak256(stringToBytes(`predictd sandbox bridge ${seed} ${family} ${wallet.toLowerCase()}`));
  const tron = privateKeyToAddress(secret('tvm'));
  return {
    evm: privateKeyToAddress(secret('evm')),
    svm: base58Of(ed25519PublicBytes(ed25519Key(hexToBytes(secret('svm'))))),
    btc: checked(BITCOIN_VERSION, ripemd160(sha256(secret('btc')), 'bytes')),
    tvm: checked(TRON_VERSION, hexToBytes(tron)),
  };
}

function checked(version: number, hash: Uint8Array): string {
  const payload = concatBytes([Uint8Array.of(version), hash]);
  return base58Of(concatBytes([payload, sha256(sha256(payload, 'bytes'), 'bytes').subarray(0, 4)]));
}
