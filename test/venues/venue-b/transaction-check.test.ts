import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { SolanaAccount } from '../../../src/ports/solana.ts';
import {
  checkTransaction,
  type OrderBound,
} from '../../../src/venues/venue-b/transaction-check.ts';
import { USDC } from './wire.ts';

const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const SYSTEM = SystemProgram.programId.toBase58();
const [wallet, other] = [Keypair.generate(), Keypair.generate()];
const [money, shares] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
const MINT = Keypair.generate().publicKey;
const NOTES = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** Touches some accounts. */
function aNote(programId: PublicKey = NOTES, data = Buffer.alloc(4)): TransactionInstruction {
  const keys = [money, shares].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
  return new TransactionInstruction({ programId, data, keys });
}

function aTransaction(
  instructions = [aNote()],
  { payer = wallet.publicKey, signers = [] as Keypair[] } = {},
): string {
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: payer,
      recentBlockhash: Keypair.generate().publicKey.toBase58(),
      instructions,
    }).compileToV0Message(),
  );
  transaction.sign(signers);
  return Buffer.from(transaction.serialize()).toString('base64');
}

const coins = (lamports: number, change: Partial<SolanaAccount> = {}): SolanaAccount => ({
  lamports: BigInt(lamports),
  program: SYSTEM,
  data: new Uint8Array(),
  ...change,
});
function holding(
  amount: number,
  { mint = USDC, owner = wallet.publicKey, delegate = 0, lamports = 2_000_000 } = {},
): SolanaAccount {
  const data = Buffer.alloc(165);
  data.set(new PublicKey(mint).toBytes(), 0);
  data.set(owner.toBytes(), 32);
  data.writeBigUInt64LE(BigInt(amount), 64);
  data.writeUInt32LE(delegate, 72);
  return { lamports: BigInt(lamports), program: TOKENS, data };
}

type Accounts = Readonly<Record<string, SolanaAccount | null>>;
const BEFORE: Accounts = {
  [wallet.publicKey.toBase58()]: coins(10_000_000),
  [money.toBase58()]: holding(5_000_000),
  [shares.toBase58()]: holding(3_000_000, { mint: MINT.toBase58() }),
};

function check(
  after: Accounts,
  transaction = aTransaction(),
  failure: string | null = null,
  given: Partial<OrderBound> = {},
  before: Accounts = BEFORE,
) {
  const among = (accounts: Accounts) => (addresses: readonly string[]) =>
    addresses.map((address) => accounts[address] ?? null);
  return checkTransaction(
    {
      programs: new Set([NOTES.toBase58(), SYSTEM]),
      trials: {
        accounts: async (addresses) => among(before)(addresses),
        trial: async (_bytes, watched) => ({
          failure,
          after: failure === null ? among({ ...before, ...after })(watched) : [],
        }),
        isAlive: async () => true,
        fee: async () => 5_000n,
      },
    },
    transaction,
    {
      wallet: wallet.publicKey.toBase58(),
      mint: USDC,
      gives: 'cash',
      amount: 2_000_000n,
      lamports: 1_000_000n,
      ...given,
    },
  );
}

const WALLET = wallet.publicKey.toBase58();

describe("a transaction of the venue's", () => {
  it('is signed where it takes no more than was agreed', async () => {
    const after = {
      [WALLET]: coins(9_000_000),
      [money.toBase58()]: holding(3_000_000),
    };
    await expect(check(after)).resolves.toMatchObject({ payerLamports: 0n });
  });

  it.each([
    ['is signed', 7_000_000, null],
    ['is refused for a wallet that holds too little now', 1_000_000, 'insufficient_funds'],
  ] as const)(
    'by which another one of the wallet lands while it is tried: %s',
    async (_, left, code) => {
      const landed = { ...BEFORE, [money.toBase58()]: holding(left) };
      let now: Accounts = { ...BEFORE, [money.toBase58()]: holding(left + 2_000_000) };
      const checked = checkTransaction(
        {
          programs: new Set([NOTES.toBase58()]),
          trials: {
            accounts: async (addresses) => addresses.map((address) => now[address] ?? null),
            async trial(_bytes, watched) {
              now = landed;
              const after: Accounts = {
                ...landed,
                [money.toBase58()]: holding(Math.max(0, left - 2_000_000)),
              };
              return left < 2_000_000
                ? { failure: '{"InstructionError":[0,{"Custom":1}]}', after: [] }
                : { failure: null, after: watched.map((address) => after[address] ?? null) };
            },
            isAlive: async () => true,
            fee: async () => 5_000n,
          },
        },
        aTransaction(),
        { wallet: WALLET, mint: USDC, gives: 'cash', amount: 2_000_000n, lamports: 1_000_000n },
      );
      await (code === null
        ? expect(checked).resolves.toMatchObject({ payerLamports: 0n })
        : expect(checked).rejects.toMatchObject({ code }));
    },
  );

  it.each<[string, Accounts]>([
    ['more of the token that is given', { [money.toBase58()]: holding(2_999_999) }],
    ['another token', { [shares.toBase58()]: holding(2_999_999, { mint: MINT.toBase58() }) }],
    ['more SOL', { [WALLET]: coins(8_999_999) }],
    ['the rent of an account it closes', { [money.toBase58()]: null }],
    ['the right to move tokens later', { [money.toBase58()]: holding(5_000_000, { delegate: 1 }) }],
    [
      'the account of its tokens',
      { [money.toBase58()]: holding(5_000_000, { owner: other.publicKey }) },
    ],
    ['the wallet itself', { [WALLET]: coins(10_000_000, { program: TOKENS }) }],
  ])('is not signed where it would take %s', async (_what, after) => {
    await expect(check(after)).rejects.toMatchObject({
      code: 'venue_protocol',
      message: expect.stringContaining('it was not signed'),
    });
  });

  it.each<[string, () => string]>([
    ['another account pays for it', () => aTransaction([aNote()], { payer: other.publicKey })],
    [
      'another account has still to sign it',
      () =>
        aTransaction([
          SystemProgram.transfer({
            fromPubkey: other.publicKey,
            toPubkey: wallet.publicKey,
            lamports: 1,
          }),
        ]),
    ],
    ['it calls an unknown program', () => aTransaction([aNote(MINT)])],
    [
      'it would be good for ever',
      () => aTransaction([aNote(SystemProgram.programId, Buffer.of(4, 0, 0, 0))]),
    ],
    ['it is invalid', () => 'AQID'],
  ])('is not signed where %s', async (_why, transaction) => {
    await expect(check({}, transaction())).rejects.toMatchObject({ code: 'venue_protocol' });
  });

  it('is signed where the others it needs have signed', async () => {
    const transaction = aTransaction(
      [
        SystemProgram.transfer({
          fromPubkey: other.publicKey,
          toPubkey: wallet.publicKey,
          lamports: 1,
        }),
      ],
      { signers: [other] },
    );
    await expect(check({}, transaction)).resolves.toMatchObject({ payerLamports: 0n });
  });

  it.each([
    ['"BlockhashNotFound"', 'preparation_timeout'],
    ['{"InsufficientFundsForRent":{"account_index":0}}', 'insufficient_funds'],
    ['{"InstructionError":[3,{"Custom":16}]}', 'market_closed'],
    ['{"InstructionError":[3,{"Custom":84}]}', 'no_liquidity'],
    ['{"InstructionError":[3,"Whatever"]}', 'venue_protocol'],
  ])('that would fail with %s is refused as %s', async (failure, code) => {
    await expect(check({}, aTransaction(), failure)).rejects.toMatchObject({ code });
  });

  it.each([
    ['USDC', { amount: 5_000_001n }, 'insufficient_funds', 'less USDC'],
    [
      'contracts',
      { mint: MINT.toBase58(), gives: 'shares', amount: 3_000_001n },
      'insufficient_shares',
      'less contracts',
    ],
    ['SOL', {}, 'insufficient_funds', 'not enough SOL for fees'],
  ] as const)(
    'that fails for want of %s is refused for that',
    async (_what, given, code, words) => {
      const failure = '{"InstructionError":[3,{"Custom":1}]}';
      await expect(check({}, aTransaction(), failure, given)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
    },
  );
});

describe('a transaction that a sponsor pays for', () => {
  const SPONSOR = other.publicKey.toBase58();
  const payer = { address: SPONSOR, lamports: 5_000_000n };
  const purse = Keypair.generate().publicKey;
  /** What both sign: the user gives tokens, the sponsor pays the network. */
  const paid = (users = [wallet.publicKey]): string =>
    aTransaction(
      [
        new TransactionInstruction({
          programId: NOTES,
          data: Buffer.alloc(4),
          keys: [
            ...[money, purse].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
            ...users.map((pubkey) => ({ pubkey, isSigner: true, isWritable: true })),
          ],
        }),
      ],
      { payer: other.publicKey },
    );
  const before: Accounts = {
    [SPONSOR]: coins(90_000_000),
    [purse.toBase58()]: holding(7, { owner: other.publicKey }),
  };
  const sponsored = (after: Accounts, transaction = paid()) =>
    check(after, transaction, null, { payer }, { ...BEFORE, ...before });

  it('is signed where no party loses more than was agreed, and says what the sponsor loses', async () => {
    const after = { [SPONSOR]: coins(85_000_000), [money.toBase58()]: holding(3_000_000) };
    await expect(sponsored(after)).resolves.toMatchObject({ payerLamports: 5_000_000n });
  });

  it.each<[string, Accounts]>([
    ["more of the sponsor's SOL", { [SPONSOR]: coins(84_999_999) }],
    ["the sponsor's tokens", { [purse.toBase58()]: holding(6, { owner: other.publicKey }) }],
    ["the sponsor's account", { [SPONSOR]: coins(90_000_000, { program: TOKENS }) }],
    ["more of the user's tokens", { [money.toBase58()]: holding(2_999_999) }],
    ["more of the user's SOL", { [WALLET]: coins(8_999_999) }],
  ])('is not signed where it would take %s', async (_what, after) => {
    await expect(sponsored(after)).rejects.toMatchObject({ code: 'venue_protocol' });
  });

  it.each<[string, () => string]>([
    ['its user pays for it', () => aTransaction()],
    ['its user need not sign it', () => paid([])],
    ['a third one has still to sign it', () => paid([wallet.publicKey, purse])],
  ])('is not signed where %s', async (_why, transaction) => {
    await expect(sponsored({}, transaction())).rejects.toMatchObject({ code: 'venue_protocol' });
  });
});
