import { createRequire } from 'node:module';
import { encodeDeployData, encodeFunctionData, erc20Abi, parseAbi, type Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { Store } from '../../../src/ports/store.ts';
import { openHolds } from '../../../src/services/books/holds.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { aUserId } from '../../support/builders.ts';
import { dyingAfter } from '../../support/dying-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeptBus, createKeptMetrics } from '../../support/quiet.ts';
import { sampled } from '../../support/sampled.ts';
import { openSwapWorld, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';
import { DOLLARS, STRANGER, transferLife } from '../../support/worlds/transfer-life.ts';

const USER = aUserId(1);
/** More durable steps than a transfer has; a run that ends before its kill is a whole one. */
const STEPS_MAXIMUM = 8;

/** Tokens that do not do what they are called for: one keeps a tenth, one moves nothing. */
const ODD_TOKENS = `
contract Odd {
  mapping(address => uint256) public balanceOf;
  uint256 public constant decimals = 6;
  uint256 public constant totalSupply = 1e12;
  string public constant name = "Odd";
  string public constant symbol = "ODD";
  uint256 public keeps;
  bool public lies;
  event Transfer(address indexed from, address indexed to, uint256 value);
  constructor(address owner, uint256 keeps_) { balanceOf[owner] = 1e12; keeps = keeps_; }
  function setLies(bool lies_) external { lies = lies_; }
  function transfer(address to, uint256 value) external returns (bool) {
    if (lies) return true;
    uint256 kept = value * keeps / 100;
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value - kept;
    balanceOf[address(this)] += kept;
    if (kept > 0) emit Transfer(msg.sender, address(this), kept);
    emit Transfer(msg.sender, to, value - kept);
    return true;
  }
}`;

let world: SwapWorld;
const odd: Record<'keeping' | 'lying', Hex> = { keeping: '0x', lying: '0x' };

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM']);
  await world.give('ARBITRUM', 1, 1_000);
  const { bytecode, abi } = compiled();
  const { sender } = (await world.chains.open('ARBITRUM')).local;
  for (const [name, keeps] of [
    ['keeping', 10n],
    ['lying', 0n],
  ] as const) {
    const data = encodeDeployData({ abi, bytecode, args: [WALLETS.evm, keeps] });
    const receipt = await sender('deployer').send({ to: null, data });
    odd[name] = receipt.contractAddress ?? expect.unreachable();
  }
});
afterAll(() => world.close());

function compiled(): { readonly bytecode: Hex; readonly abi: Abi } {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string };
  const { contracts } = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { odd: { content: ODD_TOKENS } },
        settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
      }),
    ),
  ) as { contracts: { odd: { Odd: { abi: Abi; evm: { bytecode: { object: string } } } } } };
  return { abi: contracts.odd.Odd.abi, bytecode: `0x${contracts.odd.Odd.evm.bytecode.object}` };
}

const SET_LIES = parseAbi(['function setLies(bool lies)']);

/** Has the lying token move nothing from now on, or what it is asked to. */
async function setLies(lies: boolean): Promise<void> {
  const { local } = await world.chains.open('ARBITRUM');
  const data = encodeFunctionData({ abi: SET_LIES, functionName: 'setLies', args: [lies] });
  await local.sender('deployer').send({ to: odd.lying, data });
}

async function held(token: string, owner: string): Promise<bigint> {
  const { local } = await world.chains.open('ARBITRUM');
  return local.node.client.readContract({
    address: token as Hex, // addresses of an EVM chain
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner as Hex],
  });
}

const live = (store: Store, wrap?: (durable: Commit) => Commit) => transferLife(world, store, wrap);

async function stocked(): Promise<Store> {
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  await commit((tx) =>
    postToLedger(
      tx,
      USER,
      depositEntry({
        userId: USER,
        cashAccount: 'usdc:base',
        transferId: 'd',
        usdc: usdcMicros(1_000_000_000),
        atMs: 1,
      }),
    ),
  );
  return store;
}

const isOver = (state: string) => state === 'settled' || state === 'failed';

describe('a transfer on a real chain', () => {
  it('L4: of dollars in the books leaves, is proven, and both agree', async () => {
    const store = await stocked();
    const { send, latest, transactions } = live(store);
    const before = await held(DOLLARS, WALLETS.evm);
    await send('USDC', '12.5');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect(before - (await held(DOLLARS, WALLETS.evm))).toBe(12_500_000n);
    expect(balanceOf(store, USER, 'usdc:base').settled).toBe(987_500_000);
    expect(openHolds(store, USER)).toEqual([]);
  });

  it('of the coin arrives to the last wei', async () => {
    const { send, latest, transactions } = live(await stocked());
    const { local } = await world.chains.open('ARBITRUM');
    const coins = (address: Hex) => local.node.client.getBalance({ address });
    const [before, own] = [await coins(STRANGER), await coins(WALLETS.evm as Hex)];
    await send('ETH', '0.000000000000000123');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect((await coins(STRANGER)) - before).toBe(123n);
    // what left beside it is what the network took
    const paid = own - (await coins(WALLETS.evm as Hex)) - 123n;
    expect(latest()[0]?.gas).toEqual({ chain: 'ARBITRUM', units: String(paid) });
  });

  it('of a token that keeps a fee says how much arrived', async () => {
    const { send, latest, transactions } = live(await stocked());
    await send(odd.keeping, '10');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect(latest()[0]?.reason).toBe('9 ODD arrived: the token keeps the rest');
    expect(await held(odd.keeping, STRANGER)).toBe(9_000_000n);
  });

  it('of a token that says yes and moves nothing is refused before, and failed by its proof after', async () => {
    const first = live(await stocked());
    await setLies(true);
    await expect(first.send(odd.lying, '10')).rejects.toMatchObject({ code: 'chain_reverted' });
    await setLies(false);
    // it turns between the trial and the block: what is stored is never signed again
    const store = await stocked();
    const { wrap, isDead } = dyingAfter(1);
    const dying = live(store, wrap);
    void dying.send(odd.lying, '10').catch(() => undefined);
    await eventually(() => expect(isDead()).toBe(true));
    dying.transactions.stop();
    await setLies(true);
    const { transactions, latest } = live(store);
    transactions.recover();
    await eventually(() => expect(latest().map(({ state }) => state)).toEqual(['failed']));
    transactions.stop();
    expect(latest()[0]?.reason).toBe('executed, and no ODD left your wallet');
    first.transactions.stop();
  });
});

describe('L1: a transfer on a real chain, killed after a durable step', () => {
  it.each(
    sampled(
      'killed transfers',
      Array.from({ length: STEPS_MAXIMUM }, (_, index) => index + 1),
      3,
    ),
  )('step %i leaves once, is booked once, and counts once', async (step) => {
    const store = await stocked();
    const [own, theirs] = [await held(DOLLARS, WALLETS.evm), await held(DOLLARS, STRANGER)];
    const { wrap, isDead } = dyingAfter(step);
    const first = live(store, wrap);
    void first.send('USDC', '10', 'once').catch(() => undefined);
    const isDone = () => first.latest().some(({ state }) => isOver(state));
    await eventually(() => expect(isDead() || isDone()).toBe(true));
    first.transactions.stop();
    const second = live(store);
    second.transactions.recover();
    void second.send('USDC', '10', 'once').catch(() => undefined);
    await eventually(() => expect(second.latest().map(({ state }) => state)).toEqual(['settled']));
    second.transactions.stop();
    expect(own - (await held(DOLLARS, WALLETS.evm))).toBe(10_000_000n);
    expect((await held(DOLLARS, STRANGER)) - theirs).toBe(10_000_000n);
    expect(balanceOf(store, USER, 'usdc:base').settled).toBe(990_000_000);
    expect([openHolds(store, USER), outSince(store, USER, 0)]).toEqual([[], 10_000_000]);
  });
});
