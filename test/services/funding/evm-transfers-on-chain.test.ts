import { createRequire } from 'node:module';
import { encodeDeployData, encodeFunctionData, erc20Abi, parseAbi, type Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { readTokenFacts } from '../../../src/adapters/evm/token-facts.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { ONE_DOLLAR } from '../../../src/domain/token-price.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Rail } from '../../../src/ports/transactions.ts';
import { openHolds } from '../../../src/services/books/holds.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { createCommit, type Commit } from '../../../src/services/commit.ts';
import { createEvmTransfers } from '../../../src/services/funding/evm-transfers.ts';
import { createSendBooks } from '../../../src/services/funding/send-closing.ts';
import { createTokenTransfers } from '../../../src/services/funding/token-transfers.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId } from '../../support/builders.ts';
import { dyingAfter } from '../../support/dying-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { sampled } from '../../support/sampled.ts';
import { openSwapWorld, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';

const USER = aUserId(1);
const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const TO = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const PROOF = { challengeId: 'c', code: '123456' };
/** More durable steps than a transfer has; a run that ends before its kill is a whole one. */
const STEPS_MAXIMUM = 8;

/** Tokens that do otherwise than they are told: one keeps a tenth, one moves nothing. */
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

/** Has the lying token move nothing from now on, or what it is told. */
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

let lives = 0;

/** One life of the product's transfers on a store; its commits may die. */
function live(store: Store, wrap: (durable: Commit) => Commit = (durable) => durable) {
  lives += 1;
  const metrics = createKeptMetrics();
  const commit = wrap(createCommit({ store, bus: createKeptBus(), metrics }));
  const { clock } = world;
  const nodes = world.nodes.get('ARBITRUM');
  if (nodes?.kind !== 'evm') return expect.unreachable();
  const transactions = createTransactions<EvmReceipt>({
    store,
    commit,
    clock,
    metrics,
    random: createSeededRandom(`transfers ${lives}`),
    log: createKeptLog(),
    rails: world.rails as readonly Rail<EvmReceipt>[],
    books: createSendBooks(clock),
  });
  const transfers = createTokenTransfers({
    store,
    commit,
    transactions,
    clock,
    marketClock: clock,
    codes: {
      request: () => expect.unreachable(),
      requestFor: () => expect.unreachable(),
      prove: async () => expect.anything() as never, // the phone it proves is not read
      use: () => undefined,
    },
    vault: { unseal: (sealed) => sealed },
    prices: fakePrices(() => ONE_DOLLAR),
    chains: [
      createEvmTransfers({
        chain: 'ARBITRUM',
        readAddress,
        evm: nodes.evm,
        accounts: nodes.accounts,
        factsOf: (token) => readTokenFacts(nodes.evm, token),
        walletsOf: () => WALLETS,
        ownTokensOf: () => [],
        // as where a venue is paid from this wallet
        cashAccountOf: ({ address }) => (address === USDC ? 'usdc:base' : null),
      }),
    ],
  });
  const send = async (token: string, amount: string, key = `${token} ${amount}`) =>
    transfers.transfer(USER, { chain: 'ARBITRUM', token, amount, to: TO }, { ...PROOF, key });
  const latest = () => transfers.list(USER, { limit: 5, cursor: null }).data;
  return { transfers, transactions, send, latest };
}

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
    const before = await held(USDC, WALLETS.evm);
    await send('USDC', '12.5');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect(before - (await held(USDC, WALLETS.evm))).toBe(12_500_000n);
    expect(balanceOf(store, USER, 'usdc:base').settled).toBe(987_500_000);
    expect(openHolds(store, USER)).toEqual([]);
  });

  it('of the coin arrives to the last wei', async () => {
    const { send, latest, transactions } = live(await stocked());
    const { local } = await world.chains.open('ARBITRUM');
    const before = await local.node.client.getBalance({ address: TO });
    await send('ETH', '0.000000000000000123');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect((await local.node.client.getBalance({ address: TO })) - before).toBe(123n);
  });

  it('of a token that keeps a fee says how much arrived', async () => {
    const { send, latest, transactions } = live(await stocked());
    await send(odd.keeping, '10');
    await eventually(() => expect(latest()[0]?.state).toBe('settled'));
    transactions.stop();
    expect(latest()[0]?.reason).toBe('9 ODD arrived: the token keeps the rest');
    expect(await held(odd.keeping, TO)).toBe(9_000_000n);
  });

  it('of a token that says yes and moves nothing is refused before, and failed by its proof after', async () => {
    const first = live(await stocked());
    await setLies(true);
    await expect(first.send(odd.lying, '10')).rejects.toMatchObject({ code: 'chain_reverted' });
    await setLies(false);
    // it turns between the trial and the block: what is stored is signed again by nobody
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
    const [own, theirs] = [await held(USDC, WALLETS.evm), await held(USDC, TO)];
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
    expect(own - (await held(USDC, WALLETS.evm))).toBe(10_000_000n);
    expect((await held(USDC, TO)) - theirs).toBe(10_000_000n);
    expect(balanceOf(store, USER, 'usdc:base').settled).toBe(990_000_000);
    expect([openHolds(store, USER), outSince(store, USER, 0)]).toEqual([[], 10_000_000]);
  });
});
