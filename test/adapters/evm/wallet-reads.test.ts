import { encodeAbiParameters, toEventSelector } from 'viem';
import { expect, it } from 'vitest';
import { EVM_WALLET } from '../../../config/limits/chain.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createEvmWalletReads } from '../../../src/adapters/evm/wallet-reads.ts';
import { asId, type Address, type TokenId } from '../../../src/domain/ids.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import { addressTopic } from '../../../src/services/wallets/contract-calls.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { EXCHANGE, transferLog, ZERO } from '../../support/fakes/fake-chain-logs.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';

const USER = aUserId(1);
const WALLET = asId<Address>(`0x${'aB'.repeat(20)}`);
const OTHER = asId<Address>(`0x${'cd'.repeat(20)}`);
const [YES, NO] = ['9'.repeat(70), '8'.repeat(70)].map((text) => asId<TokenId>(text)) as [
  TokenId,
  TokenId,
];
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const USDC = CONTRACTS.collateral;

it('tells a transaction that was final from one that failed in its block, or has none any more', async () => {
  const clock = createVirtualClock(T0);
  const chain = new FakeChain(clock, CONTRACTS);
  const of = { confirmations: 3, succeeded: true };
  const evm = {
    head: () => chain.head(),
    balances: chain.balances.bind(chain),
    shares: chain.shares.bind(chain),
    logs: chain.logs.bind(chain),
    hasBlock: chain.hasBlock.bind(chain),
    async receipt(hash: Hex) {
      const found = await chain.receipt(hash);
      return found === null ? null : { ...found, ...of };
    },
  };
  const wallet = createEvmWalletReads({
    evm,
    walletOf: async () => WALLET,
    usdc: USDC,
    conditionalTokens: CONTRACTS.conditionalTokens,
    exchanges: [EXCHANGE],
  });
  const hash = chain.mint(USDC, WALLET, 1n);
  chain.mine();
  const standing = (name: string, block: number | null = chain.blockNumber) =>
    wallet.standing?.(name, block);
  const shown = [await standing(hash)];
  of.confirmations = 2;
  shown.push(await standing(hash));
  Object.assign(of, { confirmations: 3, succeeded: false });
  shown.push(await standing(hash), await standing('0xnone'), await standing('0xnone', null));
  chain.oldestBlock = chain.blockNumber + 1;
  shown.push(await standing('0xnone'));
  expect(shown).toEqual(['final', 'open', 'failed', 'absent', 'pruned', 'pruned']);
});

function begin() {
  const chain = new FakeChain(createVirtualClock(T0), CONTRACTS);
  const wallet = createEvmWalletReads({
    evm: chain,
    walletOf: async () => WALLET,
    usdc: USDC,
    conditionalTokens: CONTRACTS.conditionalTokens,
    exchanges: [EXCHANGE],
  });
  const mine = (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) chain.mine();
  };
  const send = (to: Address, amount: bigint): Hex =>
    chain.send((state, emit) => {
      state.addToken(USDC, WALLET, -amount);
      state.addToken(USDC, to, amount);
      emit(transferLog(USDC, WALLET, { to, amount }));
    });
  /** Moves outcomes into the wallet, or where negative out of it, in one event. */
  const give = (tokens: readonly (readonly [TokenId, bigint])[]): Hex =>
    chain.send((state, emit) => {
      for (const [tokenId, amount] of tokens) state.addShares(WALLET, tokenId, amount);
      const isIn = (tokens[0]?.[1] ?? 0n) > 0n;
      const [from, to] = isIn ? [OTHER, WALLET] : [WALLET, OTHER];
      const parties = [OTHER, from, to].map(addressTopic);
      const sizes = tokens.map(([, amount]) => (amount > 0n ? amount : -amount));
      const ids = tokens.map(([tokenId]) => BigInt(tokenId));
      emit({
        address: CONTRACTS.conditionalTokens,
        topics: [tokens.length === 1 ? SINGLE : BATCH, ...parties],
        data:
          tokens.length === 1
            ? encodeAbiParameters(
                [{ type: 'uint256' }, { type: 'uint256' }],
                [ids[0] ?? 0n, sizes[0] ?? 0n],
              )
            : encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, sizes]),
      });
    });
  return { chain, wallet, mine, send, give };
}

it('holds its dollars, and of the outcomes asked about those that are there', async () => {
  const { chain, wallet, mine, give } = begin();
  chain.mint(USDC, WALLET, 7_000_000n);
  give([[YES, 3_000_000n]]);
  mine(1);
  expect(await wallet.holdings(USER, [YES, NO])).toEqual({
    usdc: 7_000_000,
    tokens: new Map([[YES, 3_000_000]]),
  });
});

it('is moved by each transaction once, by what of it stays, oldest first', async () => {
  const { chain, wallet, mine, send } = begin();
  const came = chain.mint(USDC, WALLET, 7_000_000n);
  mine(1);
  const block = chain.blockNumber;
  const [left, back] = [send(OTHER, 2_000_000n), send(WALLET, 1_000_000n)];
  mine(3);
  expect(await wallet.history(USER, null, null)).toEqual({
    kind: 'read',
    movements: [
      { transactionHash: came, micros: 7_000_000, block, isTrade: false },
      { transactionHash: left, micros: -2_000_000, block: block + 1, isTrade: false },
    ],
    newest: String(chain.blockNumber - 2),
  });
  expect(back).not.toBe(left);
});

it('is moved in one outcome by single events and by those of several', async () => {
  const { wallet, mine, give } = begin();
  const [one, both] = [
    give([[YES, 3_000_000n]]),
    give([
      [NO, 5_000_000n],
      [YES, 2_000_000n],
    ]),
  ];
  const out = give([[YES, -1_000_000n]]);
  mine(3);
  const moved = (hash: Hex, micros: number) => ({ transactionHash: hash, micros, isTrade: false });
  expect(await wallet.history(USER, YES, null)).toMatchObject({
    movements: [moved(one, 3_000_000), moved(both, 2_000_000), moved(out, -1_000_000)],
  });
  expect(await wallet.history(USER, NO, null)).toMatchObject({
    movements: [moved(both, 5_000_000)],
  });
});

it('is traded where an exchange names it in the same transaction', async () => {
  const { chain, wallet, mine } = begin();
  const [came, trade] = [
    chain.mint(USDC, WALLET, 7_000_000n),
    chain.trade(WALLET, { usdc: -4_000_000n, tokenId: YES, shares: 8_000_000n }),
  ];
  mine(3);
  expect(await wallet.history(USER, null, null)).toMatchObject({
    movements: [
      { transactionHash: came, isTrade: false },
      { transactionHash: trade, micros: -4_000_000, isTrade: true },
    ],
  });
});

it('is unsettled while what moved it is not final', async () => {
  const { chain, wallet, mine } = begin();
  chain.mint(USDC, WALLET, 7_000_000n);
  mine(2);
  expect(await wallet.history(USER, null, null)).toEqual({ kind: 'unsettled' });
  mine(1);
  expect(await wallet.history(USER, null, null)).toMatchObject({ kind: 'read' });
});

it('is read on from a mark, which lies deeper than nodes differ by', async () => {
  const { chain, wallet, mine } = begin();
  chain.mint(USDC, WALLET, 7_000_000n);
  mine(3);
  const { newest } = (await wallet.history(USER, null, null)) as { newest: string };
  expect(await wallet.history(USER, null, newest)).toMatchObject({ movements: [] });
  const later = chain.mint(USDC, WALLET, 1_000_000n);
  mine(EVM_WALLET.markDepthBlocks);
  const mark = (await wallet.mark?.()) ?? null;
  expect(Number(mark)).toBe(chain.blockNumber - EVM_WALLET.markDepthBlocks);
  expect(await wallet.history(USER, null, mark)).toMatchObject({
    movements: [{ transactionHash: later }],
  });
});

it('is too long where it begins before what is read, or was moved too often', async () => {
  const { chain, wallet, mine } = begin();
  for (let times = 0; times <= EVM_WALLET.historyMaximum; times += 1) chain.mint(USDC, WALLET, 1n);
  mine(3);
  expect(await wallet.history(USER, null, null)).toEqual({ kind: 'too_long' });
  const { blockNumber } = chain;
  chain.head = async () => ({
    blockNumber: blockNumber + EVM_WALLET.historyBlocksMaximum,
    atMs: T0,
    hash: ZERO as unknown as Hex,
  });
  expect(await wallet.history(USER, null, String(blockNumber - 1))).toEqual({ kind: 'too_long' });
  expect(await wallet.history(USER, null, String(blockNumber))).toMatchObject({ kind: 'read' });
});
