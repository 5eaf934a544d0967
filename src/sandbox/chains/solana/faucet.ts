import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  getTransactionEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  type Address,
  type Blockhash,
  type EncodedAccount,
  type Instruction,
} from '@solana/kit';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  USDC_DECIMALS,
  USDC_MINT,
} from './addresses.ts';
import { associatedAddress } from './associated-address.ts';
import type { Executed, SolanaChain } from './chain.ts';
import { mintData } from './token-layout.ts';
import { readWireTransaction } from './wire-transaction.ts';

/**
 * Gives away what is worth nothing, by ordinary transactions that anybody can find on the chain.
 */
export interface SolanaFaucet {
  /** The faucet's own account: it pays the fees and may make test USDC. */
  readonly address: Address;
  giveLamports(to: Address, amount: bigint): Executed;
  /**
   * Makes test USDC in the associated token account of `to`, which is made first where it is
   * absent.
   */
  giveUsdc(to: Address, micros: bigint): Executed;
}

/**
 * The one key of the sandbox's Solana, derived from the sandbox's seed: worth nothing anywhere
 * else.
 */
interface FaucetKey {
  readonly address: Address;
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

/**
 * Accounts that exist from the start: the faucet with its lamports, and the mint of the test USDC.
 */
export function faucetGenesis(seed: number): readonly EncodedAccount[] {
  const key = faucetKey(seed);
  const data = mintData(key.publicKey, USDC_DECIMALS);
  return [
    {
      address: key.address,
      executable: false,
      lamports: lamports(BigInt(SOLANA_SANDBOX.faucetLamports)),
      programAddress: SYSTEM_PROGRAM,
      space: 0n,
      data: new Uint8Array(),
    },
    {
      address: USDC_MINT,
      executable: false,
      lamports: lamports(MINT_RENT_LAMPORTS),
      programAddress: TOKEN_PROGRAM,
      space: BigInt(data.length),
      data,
    },
  ];
}

/** Opens the faucet of a chain that was made with `faucetGenesis` of the same seed. */
export function createSolanaFaucet(chain: SolanaChain, seed: number): SolanaFaucet {
  const key = faucetKey(seed);
  let gifts = 0;
  const run = (...instructions: Instruction[]): Executed => {
    gifts += 1;
    // The note keeps two equal gifts in one slot from being one transaction.
    const note: Instruction = {
      programAddress: MEMO_PROGRAM,
      data: Buffer.from(`gift ${chain.time.slot()}.${gifts}`),
    };
    return chain.execute(
      readWireTransaction(
        signed(key, chain.time.latestBlockhash('processed').blockhash, [...instructions, note]),
      ),
    );
  };
  return {
    address: key.address,
    giveLamports: (to, amount) =>
      run({
        programAddress: SYSTEM_PROGRAM,
        accounts: [
          { address: key.address, role: AccountRole.WRITABLE_SIGNER },
          { address: to, role: AccountRole.WRITABLE },
        ],
        data: layout(12, (data) => {
          data.writeUInt32LE(TRANSFER, 0);
          data.writeBigUInt64LE(amount, 4);
        }),
      }),
    giveUsdc(to, micros) {
      const account = associatedAddress(to, USDC_MINT, TOKEN_PROGRAM);
      return run(
        {
          programAddress: ASSOCIATED_TOKEN_PROGRAM,
          accounts: [
            { address: key.address, role: AccountRole.WRITABLE_SIGNER },
            { address: account, role: AccountRole.WRITABLE },
            { address: to, role: AccountRole.READONLY },
            { address: USDC_MINT, role: AccountRole.READONLY },
            { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
            { address: TOKEN_PROGRAM, role: AccountRole.READONLY },
          ],
          data: Uint8Array.of(CREATE_IDEMPOTENT),
        },
        {
          programAddress: TOKEN_PROGRAM,
          accounts: [
            { address: USDC_MINT, role: AccountRole.WRITABLE },
            { address: account, role: AccountRole.WRITABLE },
            { address: key.address, role: AccountRole.READONLY_SIGNER },
          ],
          data: layout(9, (data) => {
            data.writeUInt8(MINT_TO, 0);
            data.writeBigUInt64LE(micros, 1);
          }),
        },
      );
    },
  };
}

/** Numbers of the instructions used here, in their programs' own counting. */
const TRANSFER = 2;
const CREATE_IDEMPOTENT = 1;
const MINT_TO = 7;
/** Rent of a mint's 82 bytes. */
const MINT_RENT_LAMPORTS = 1_461_600n;
/** What precedes the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

function faucetKey(seed: number): FaucetKey {
  const secret = createHash('sha256').update(`predictd solana faucet ${seed}`).digest();
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(-32);
  return { address: address(getAddressDecoder().decode(publicKey)), publicKey, privateKey };
}

function signed(
  key: FaucetKey,
  blockhash: string,
  instructions: readonly Instruction[],
): Uint8Array {
  const compiled = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (message) => setTransactionMessageFeePayer(key.address, message),
    // The chain's own hash; the height only matters to who waits for it.
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  );
  const signature = signatureBytes(sign(null, Buffer.from(compiled.messageBytes), key.privateKey));
  return new Uint8Array(
    getTransactionEncoder().encode({ ...compiled, signatures: { [key.address]: signature } }),
  );
}

function layout(bytes: number, write: (data: Buffer) => void): Uint8Array {
  const data = Buffer.alloc(bytes);
  write(data);
  return data;
}
