import type { Hex } from 'viem';
import { isTerminal, type OrderRecord } from '../../src/domain/order.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { TransactionRecord } from '../../src/domain/transaction.ts';
import { balanceOf } from '../../src/services/books/record-changes.ts';
import { FILLS, ORDER_KEYS } from '../../src/services/books/tables.ts';
import { TRANSACTION_KEYS, TRANSACTIONS } from '../../src/services/transactions/tables.ts';
import { brokenLaws, ordersOf } from '../support/worlds/trading-world.ts';
import type { VenueCChainWorld } from '../support/worlds/venue-c-chain-world.ts';
import { tradesOf, type ChainTrade } from './pool-trades.ts';
import { lostOf, type Stage } from './venue-stage.ts';

/**
 * What callers, store and chain say of the intents, read apart from one another. All but the first
 * three is to be 0 or empty.
 */
export interface PoolVerdict {
  readonly intents: number;
  readonly orders: number;
  /** Trades of the users with the pool in blocks of the chain. */
  readonly trades: number;
  /** Orders of which the chain has more than is booked, and orders beyond the one of a key. */
  readonly doubled: number;
  /** Intents whose caller knows of an order that is not there, or of none where there is one. */
  readonly lost: number;
  /** Orders that are undecided, or whose trades are other than the chain's. */
  readonly guessed: number;
  /** Trades on the chain that are in no books, and transactions that are not over. */
  readonly strangers: number;
  /** Users whose ledger is not what their wallet holds, to the atom, or with money set aside. */
  readonly ledgerDiffers: number;
  /** Users whose wallet paid other gas than their transactions in blocks of the chain state. */
  readonly gasDiffers: number;
  readonly brokenLaws: readonly string[];
  /** Errors that the last life has logged. */
  readonly errors: readonly string[];
  /** The first few things that are not as they should be, in words. */
  readonly findings: readonly string[];
}

/** What wallets had of the chain's coin before anything was done, wei. */
export type Coins = ReadonlyMap<UserId, bigint>;

const FINDINGS_SHOWN = 10;
/**
 * What an operator is called for when a final block goes, which is played here: a block is taken
 * back a moment after it was made, and a busy node may have made those on top by then.
 */
const TAKEN_BACK: ReadonlySet<string> = new Set([
  'transaction.taken_back',
  'transaction.undone',
  'money.trade_taken_back',
]);

/** True when nothing is wrong. */
export function isCleanOfPools({
  intents: _intents,
  orders: _orders,
  trades: _trades,
  brokenLaws: laws,
  errors,
  findings,
  ...counts
}: PoolVerdict): boolean {
  return (
    Object.values(counts).every((count) => count === 0) &&
    laws.length + errors.length + findings.length === 0
  );
}

/** Notes what each wallet has of the chain's coin. */
export async function noteCoins(world: VenueCChainWorld, users: readonly UserId[]): Promise<Coins> {
  const coins = new Map<UserId, bigint>();
  for (const userId of users) coins.set(userId, await coinsOf(world, userId));
  return coins;
}

/** Compares the three records once all has come to rest. */
export async function judgePools(
  { world, users, store, reported, life }: Stage<VenueCChainWorld>,
  before: Coins,
): Promise<PoolVerdict> {
  const findings: string[] = [];
  const count = (found: readonly string[]): number => {
    findings.push(...found.slice(0, FINDINGS_SHOWN));
    return found.length;
  };
  const trades = await tradesOf(world, users);
  const byHash = new Map(trades.map((trade) => [trade.hash, trade]));
  const orders = ordersOf(store);
  const keys = store.range(ORDER_KEYS).length;
  const transactions = store.range(TRANSACTIONS).map(({ value }) => value);
  const sentOf = new Map(
    transactions.map(({ transactionId, attempts, dead, transactionHash }) => [
      transactionId,
      new Set([...attempts, ...dead, { id: transactionHash ?? '' }].map(({ id }) => id)),
    ]),
  );
  /** Of an order: the transaction of an attempt is kept under the attempt's name. */
  const ofOrder = ({ intent: { userId }, attempts }: OrderRecord): readonly ChainTrade[] =>
    attempts.flatMap(({ attemptId }) => {
      const ref = store.get(TRANSACTION_KEYS, [userId, attemptId])?.value;
      const sent = ref === undefined ? [] : [...(sentOf.get(ref.transactionId) ?? [])];
      return sent.flatMap((id) => byHash.get(id) ?? []);
    });
  const attributed = new Set(orders.flatMap((order) => ofOrder(order).map(({ hash }) => hash)));
  const gas: string[] = [];
  for (const userId of users) gas.push(...(await gasDiffers(world, { store, userId, before })));
  const fillsBookedOf = ({ intent: { userId, intentId } }: OrderRecord) =>
    store
      .range(FILLS, { prefix: [userId] })
      .map(({ value }) => value)
      .filter((fill) => fill.intentId === intentId);
  /** What the chain took back is no trade any more, though the order was matched. */
  const fillsOf = (order: OrderRecord) =>
    fillsBookedOf(order).filter(({ settlement }) => settlement !== 'reversed');
  return {
    intents: reported.size,
    orders: orders.length,
    trades: trades.length,
    doubled: count([
      ...orders.flatMap((order) =>
        ofOrder(order).length > fillsOf(order).length
          ? [`${order.intent.intentId}: ${ofOrder(order).length} trades, one is booked`]
          : [],
      ),
      ...(keys === orders.length ? [] : [`${orders.length} orders of ${keys} keys`]),
    ]),
    lost: count(lostOf({ store, reported })),
    guessed: count(
      orders.flatMap((order) => {
        const { intent, state, filledShares: matched, reversedShares = 0 } = order;
        const [traded, booked] = [ofOrder(order), fillsOf(order)].map((all) => ({
          shares: all.reduce((sum, { shares }) => sum + shares, 0),
          usdc: all.reduce((sum, { usdc }) => sum + usdc, 0),
        }));
        const is = `${intent.side} ${intent.intentId} (${state})`;
        return [
          ...(isTerminal(state) ? [] : [`${is} is undecided`]),
          ...(matched - reversedShares === booked?.shares &&
          traded?.shares === booked?.shares &&
          traded?.usdc === booked?.usdc
            ? []
            : [
                `${is}: ${matched} filled, ${reversedShares} taken back, ${JSON.stringify({ booked })}, ${JSON.stringify({ traded })} on the chain`,
              ]),
        ];
      }),
    ),
    strangers: count([
      ...trades.flatMap(({ hash }) =>
        attributed.has(hash) ? [] : [`trade ${hash} is of no order`],
      ),
      ...transactions.flatMap(({ transactionId, state }) =>
        state === 'done' || state === 'failed' ? [] : [`${transactionId} is ${state}`],
      ),
    ]),
    ledgerDiffers: count(await walletsThatDiffer({ world, users, store })),
    gasDiffers: count(gas),
    brokenLaws: users.flatMap((userId) => brokenLaws(store, userId)),
    errors: (life?.process.log.lines ?? [])
      .filter(({ level, event }) => level === 'error' && !TAKEN_BACK.has(event))
      .map(({ event, fields }) => `${event} ${JSON.stringify(fields)}`),
    findings,
  };
}

/** Says which wallets the books have otherwise than the chain. */
export async function walletsThatDiffer({
  world,
  users,
  store,
}: Pick<Stage<VenueCChainWorld>, 'world' | 'users' | 'store'>): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const userId of users) differing.push(...(await ledgerDiffers(world, store, userId)));
  return differing;
}

/** Cash and shares of a user, by the books and by the wallet. */
async function ledgerDiffers(
  { on, market, userOf }: VenueCChainWorld,
  store: Stage['store'],
  userId: UserId,
): Promise<readonly string[]> {
  const { account } = userOf(userId);
  const cash = balanceOf(store, userId, 'usdc:base');
  const pairs: [what: string, books: number, wallet: number][] = [
    ['cash', cash.settled, Number(await on.dollars(account))],
    ['cash not final', cash.provisional, 0],
  ];
  for (const { tokenId, label } of market.outcomes) {
    const { settled, provisional } = balanceOf(store, userId, tokenId);
    pairs.push([label, settled, Number(await on.shares(account, tokenId))]);
    pairs.push([`${label} not final`, provisional, 0]);
  }
  return pairs.flatMap(([what, books, wallet]) =>
    books === wallet ? [] : [`${userId}: ${what} ${books}, in the wallet ${wallet}`],
  );
}

/** Wei that the wallet has less of, and what the transactions of its account say they paid. */
async function gasDiffers(
  world: VenueCChainWorld,
  {
    store,
    userId,
    before,
  }: { readonly store: Stage['store']; readonly userId: UserId; readonly before: Coins },
): Promise<readonly string[]> {
  const paid = (before.get(userId) ?? 0n) - (await coinsOf(world, userId));
  let stated = 0n;
  for (const { value } of store.range(TRANSACTIONS))
    if (value.userId === userId && value.fee !== undefined && (await isThere(world, value)))
      stated += BigInt(value.fee);
  return paid === stated ? [] : [`${userId}: ${paid} wei of gas paid, ${stated} stated`];
}

function coinsOf({ on, userOf }: VenueCChainWorld, userId: UserId): Promise<bigint> {
  return on.node.client.getBalance({ address: userOf(userId).account as Hex });
}

/** False of a transaction that was final, and whose block is gone with it. */
async function isThere(
  { on }: VenueCChainWorld,
  { transactionHash, attempts }: Pick<TransactionRecord, 'transactionHash' | 'attempts'>,
): Promise<boolean> {
  for (const hash of [transactionHash, ...attempts.map(({ id }) => id)]) {
    if (hash === null) continue;
    const receipt = await on.node.client
      .getTransactionReceipt({ hash: hash as Hex }) // named by its chain
      .catch(() => null);
    if (receipt !== null) return true;
  }
  return false;
}
