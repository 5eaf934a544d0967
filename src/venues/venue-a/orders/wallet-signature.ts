import type { Keccak } from '../../../adapters/wire/keccak.ts';
import {
  WORD_BYTES,
  hashText,
  hashWords,
  typedDataDigest,
  wordOf,
} from '../../../adapters/wire/typed-data.ts';
import { ORDER_TYPE } from './order-hash.ts';

/** What a wallet's signature over an order is made from. */
export interface WalletSigning {
  /** Domain separator of the exchange. */
  readonly separator: Uint8Array;
  /** Struct hash of the order. */
  readonly structHash: Uint8Array;
  /** 20 bytes of the deposit wallet. */
  readonly wallet: Uint8Array;
  signDigest(digest: Uint8Array): Uint8Array;
}

const WRAPPED_TYPE = `TypedDataSign(Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)${ORDER_TYPE}`;

/**
 * Makes the signer of signature type 3: the owner's key signs a TypedDataSign struct that nests the
 * order under the wallet's own domain, and the wire form is inner ‖ separator ‖ struct hash ‖ type
 * text ‖ its length: 317 bytes. Source: venue_a.md section 5.1.
 */
export function createWalletSigner(
  keccak: Keccak,
  chainId: number,
): (signing: WalletSigning) => Uint8Array {
  const typeHash = hashText(keccak, WRAPPED_TYPE);
  const name = hashText(keccak, 'DepositWallet');
  const version = hashText(keccak, '1');
  const chain = wordOf(BigInt(chainId));
  const typeText = Buffer.from(ORDER_TYPE, 'ascii');
  const typeLength = Buffer.from([typeText.length >> 8, typeText.length & 0xff]);
  return ({ separator, structHash, wallet, signDigest }) => {
    const contract = new Uint8Array(WORD_BYTES);
    contract.set(wallet, WORD_BYTES - 20);
    const wrapped = hashWords(keccak, [
      typeHash,
      structHash,
      name,
      version,
      chain,
      contract,
      new Uint8Array(WORD_BYTES),
    ]);
    const inner = signDigest(typedDataDigest(keccak, separator, wrapped));
    return Buffer.concat([inner, separator, structHash, typeText, typeLength]);
  };
}
