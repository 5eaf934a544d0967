import { describe, expect, it } from 'vitest';
import { SWAP } from '../../../config/limits/tokens.ts';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { asId, type Address, type SolanaAddress } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Movement, Simulation } from '../../../src/ports/evm-account.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import { createEvmTransfers } from '../../../src/services/funding/evm-transfers.ts';
import { createSendClosings } from '../../../src/services/funding/send-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { addressTopic, TRANSFER_TOPIC } from '../../../src/services/wallets/contract-calls.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { aUserId, T0 } from '../../support/builders.ts';

const USER = aUserId(1);
const OWN = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const SAFE = asId<Address>('0x5B38Da6a701c568545dCfcB03FcB875f56beddC4');
const TO = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4';
const FAKE = '0xbad0000000000000000000000000000000000003';

/** What the chain of the test would do, and holds. */
interface Chain {
  readonly wei: bigint;
  readonly held: bigint;
  readonly seen: (move: Movement) => Simulation;
  readonly texts: Readonly<Record<string, string>>;
}

/** Transfers on Base, before a chain with the given answers. */
function transfers(reported: Partial<Chain> = {}) {
  const chain: Chain = {
    wei: 10n ** 18n,
    held: 10n ** 24n,
    seen: (move) => ({ kind: 'done', movements: [move], approvals: [], gas: 21_000n }),
    texts: { [BRETT]: 'BRETT', [FAKE]: 'USDC' },
    ...reported,
  };
  const on = createEvmTransfers({
    chain: 'BASE',
    readAddress,
    evm: {
      chainId: 8_453,
      balances: async (_owner, tokens) => ({
        wei: chain.wei,
        tokens: tokens.map(() => chain.held),
      }),
      hasCode: async (address) => address in chain.texts,
    },
    accounts: {
      gas: async () => 50_000n,
      fees: async () => ({ maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }),
      simulate: async (from, [call]) => {
        const isCoin = call?.data === '0x';
        return chain.seen({
          token: isCoin ? null : (call?.to ?? null),
          from,
          to: asId<Address>(TO),
          amount: isCoin ? call.valueWei : 5n * 10n ** 18n,
        });
      },
    },
    factsOf: async (token) => {
      const symbol = chain.texts[token];
      return symbol === undefined ? null : { symbol, name: symbol, decimals: 18, totalSupply: 1n };
    },
    walletsOf: () => ({ evm: OWN, safe: SAFE, solana: asId<SolanaAddress>('s') }),
    ownTokensOf: () => [{ address: BRETT, symbol: 'BRETT' }],
    cashAccountOf: ({ address }) => (address === USDC ? 'usdc:base' : null),
  });
  const sending = async (name: string) => {
    const token = await on.tokenOf(USER, name);
    return { from: OWN, to: TO, token, units: 5n * 10n ** 18n };
  };
  return { on, payable: async (name = BRETT) => on.assertPayable(await sending(name)), sending };
}

describe('a token that is sent on an EVM chain', () => {
  it('is ours by its ticker or address, and the coin by its own ticker', async () => {
    const { on } = transfers();
    const known = { token: USDC, symbol: 'USDC', decimals: 6, cashAccount: 'usdc:base' };
    expect(await on.tokenOf(USER, 'usdc')).toMatchObject({ ...known, minimumUnits: 10_000n });
    expect(await on.tokenOf(USER, USDC.toLowerCase())).toMatchObject(known);
    expect(await on.tokenOf(USER, 'ETH')).toMatchObject({ token: null, decimals: 18 });
  });

  it('is any other by its address alone, whose ticker is shown only where nothing speaks against it', async () => {
    const { on } = transfers();
    expect(await on.tokenOf(USER, BRETT)).toMatchObject({ symbol: 'BRETT', cashAccount: null });
    expect(await on.tokenOf(USER, FAKE)).toMatchObject({ symbol: FAKE, cashAccount: null });
    await expect(on.tokenOf(USER, 'BRETT')).rejects.toMatchObject({
      fields: [
        { message: `no listed ticker: name the token by its address, among yours ${BRETT}` },
      ],
    });
    await expect(on.tokenOf(USER, `0x${'11'.repeat(20)}`)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a recipient on an EVM chain', () => {
  it('is an address in its one writing, whatever the case it came in', () => {
    const { on } = transfers();
    expect(on.recipientOf(USER, TO.toLowerCase())).toBe(TO);
    expect(on.recipientOf(USER, TO)).toBe(TO);
  });

  it.each([
    ['0xaB5801a7D398351b8bE11C439e05C5B3259aeC9B', 'checksum'],
    ['0x0000000000000000000000000000000000000000', 'no private key'],
    ['0x0000000000000000000000000000000000000005', 'no private key'],
    ['0x000000000000000000000000000000000000dEaD', 'no private key'],
    [SWAP.targets[0] ?? '', 'swaps go through'],
    [USDC, 'a token'],
    [SAFE, 'own Safe'],
    ['GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB', 'forty hex digits'],
  ])('is refused: %s', (to, why) => {
    const { on } = transfers();
    expect(() => on.recipientOf(USER, to)).toThrowError(why);
  });

  it('is refused where the contract there is a token', async () => {
    const { on, sending } = transfers();
    await expect(on.assertPayable({ ...(await sending(BRETT)), to: BRETT })).rejects.toMatchObject({
      fields: [{ path: '/to' }],
    });
  });
});

describe('a transfer on an EVM chain is tried out before it is signed', () => {
  const moving = (change: Partial<Movement>, more: readonly Movement[] = []) =>
    transfers({
      seen: (move) => ({
        kind: 'done',
        movements: [{ ...move, ...change }, ...more],
        approvals: [],
        gas: 21_000n,
      }),
    });

  it('passes where exactly the amount leaves, also where less of it arrives', async () => {
    await transfers().payable();
    await moving({ amount: 4n * 10n ** 18n }, [
      {
        token: asId<Address>(BRETT),
        from: OWN,
        to: asId<Address>(FAKE),
        amount: 10n ** 18n,
      },
    ]).payable();
  });

  it.each([
    ['more than was asked for would leave', moving({ amount: 6n * 10n ** 18n })],
    [
      'nothing would move',
      transfers({ seen: () => ({ kind: 'done', movements: [], approvals: [], gas: 21_000n }) }),
    ],
    ['nothing would arrive', moving({ to: asId<Address>(FAKE) })],
    [
      'another token of the wallet would move',
      moving({}, [{ token: asId<Address>(USDC), from: OWN, to: asId<Address>(TO), amount: 1n }]),
    ],
    [
      'a right would be given',
      transfers({
        seen: (move) => ({
          kind: 'done',
          movements: [move],
          approvals: [
            { token: asId<Address>(USDC), owner: OWN, spender: asId<Address>(TO), amount: 1n },
          ],
          gas: 50_000n,
        }),
      }),
    ],
    ['its contract reverts', transfers({ seen: () => ({ kind: 'reverted', reason: 'paused' }) })],
  ])('is refused where %s', async (_why, { payable }) => {
    await expect(payable()).rejects.toMatchObject({ code: 'chain_reverted' });
  });

  it('needs its coin for gas, and says how much', async () => {
    await expect(transfers({ wei: 10_000n }).payable()).rejects.toMatchObject({
      code: 'insufficient_funds',
      message:
        'not enough ETH for gas: 0.0000975 are needed, and your wallet holds 0.00000000000001 on Base: deposit or bridge some there',
    });
    const all = transfers({ wei: 5n * 10n ** 18n });
    await expect(all.payable('ETH')).rejects.toMatchObject({
      message: expect.stringContaining('beside what is sent'),
    });
    await expect(transfers({ held: 1n }).payable()).rejects.toMatchObject({
      fields: [{ path: '/amount' }],
    });
  });

  it('passes an error of the chain on', async () => {
    const down = transfers({
      seen: () => {
        throw new AppError('chain_unavailable', 'down', { retryable: true });
      },
    });
    await expect(down.payable()).rejects.toMatchObject({ code: 'chain_unavailable' });
  });
});

describe('the end of a transfer of a token is what its own events say', () => {
  const record = {
    account: { chain: 'BASE', rail: 'evm', address: OWN },
    purpose: {
      owner: 'send',
      kind: 'send',
      data: {
        token: BRETT,
        symbol: 'BRETT',
        decimals: 18,
        units: String(10n ** 18n),
        to: TO,
        usdc: null,
      },
    },
  } as unknown as TransactionRecord; // no more of it is read
  const books = createTransactionBooking({ send: createSendClosings(createVirtualClock(T0)) });
  const receipt = (moves: readonly { to: string; amount: bigint }[]): EvmReceipt => ({
    transactionHash: '0x12',
    succeeded: true,
    blockNumber: 1,
    confirmations: 3,
    logs: moves.map(({ to, amount }, logIndex) => ({
      address: asId<Address>(BRETT),
      topics: [TRANSFER_TOPIC, addressTopic(OWN), addressTopic(asId<Address>(to))],
      data: `0x${amount.toString(16).padStart(64, '0')}`,
      blockNumber: 1,
      transactionHash: '0x12',
      logIndex,
    })),
  });

  it.each([
    ['all of it', [{ to: TO, amount: 10n ** 18n }], { state: 'done', reason: null }],
    [
      'less of it',
      [
        { to: TO, amount: 95n * 10n ** 16n },
        { to: FAKE, amount: 5n * 10n ** 16n },
      ],
      { state: 'done', reason: '0.95 BRETT arrived: the token keeps the rest' },
    ],
    ['none of it', [], { state: 'failed', reason: 'executed, and no BRETT left your wallet' }],
  ])('%s', (_what, moves, verdict) => {
    expect(books.verdict(record, receipt(moves))).toEqual(verdict);
  });
});
