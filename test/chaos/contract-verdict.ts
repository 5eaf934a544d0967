import type { MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { TokenId, UserId } from '../../src/domain/ids.ts';
import type { Token } from '../../src/sandbox/chains/solana/instructions.ts';
import { USDC } from '../../src/sandbox/venues/venue-b/chain/settlement.ts';
import { balanceOf } from '../../src/services/books/record-changes.ts';
import { ORDER_KEYS } from '../../src/services/books/tables.ts';
import {
  heldOf,
  judgeOrder,
  openingsOf,
  strangersAmong,
} from '../support/checks/contract-records.ts';
import type { LogLine } from '../support/quiet.ts';
import { brokenLaws, ordersOf } from '../support/worlds/trading-world.ts';
import type { VenueBWorld } from '../support/worlds/venue-b-world.ts';
import type { CallerAnswer } from './venue-stage.ts';

/**
 * What callers, store and chain say of the intents, read apart from one another. All but the first
 * three is to be 0 or empty.
 */
export interface ContractVerdict {
  readonly intents: number;
  /** Intents of which an order came to be; the others were refused, and all sides agree. */
  readonly orders: number;
  /** Orders that their intents' openings on the chain filled, in part at least. */
  readonly filled: number;
  /**
   * Openings on the chain beyond the one of a market order, contracts beyond what an order asked
   * for, and orders beyond the one of a key.
   */
  readonly doubled: number;
  /** Intents whose caller knows of an order that is not there, or of none where there is one. */
  readonly lost: number;
  /** Orders that are undecided, or hold other contracts than the chain gave them. */
  readonly guessed: number;
  /** Openings on the chain that are no attempt of an order. */
  readonly strangers: number;
  /** Users whose ledger is not their wallet, to the atom, or who have something set aside. */
  readonly ledgerDiffers: number;
  /**
   * Transactions after which the market's tokens were not backed, and one more where its vault
   * still holds anything.
   */
  readonly unbacked: number;
  readonly brokenLaws: readonly string[];
  /** Errors the last life has logged. */
  readonly errors: readonly string[];
  /** The first few things that are not as they should be, in words. */
  readonly findings: readonly string[];
}

/** What is compared. */
export interface ContractEvidence {
  readonly world: VenueBWorld;
  readonly users: readonly UserId[];
  readonly store: MemoryStore;
  readonly reported: ReadonlyMap<string, CallerAnswer>;
  readonly backing: readonly string[];
  readonly log: readonly LogLine[];
}

const FINDINGS_SHOWN = 10;

/** True when nothing is wrong. */
export function isCleanOfContracts({
  intents: _intents,
  orders: _orders,
  filled: _filled,
  brokenLaws: laws,
  errors,
  findings,
  ...counts
}: ContractVerdict): boolean {
  return (
    Object.values(counts).every((count) => count === 0) &&
    laws.length + errors.length + findings.length === 0
  );
}

/** Compares the three records once all has come to rest. */
export function judgeContracts(evidence: ContractEvidence): ContractVerdict {
  const { world, users, store, reported, backing, log } = evidence;
  const findings: string[] = [];
  const count = (found: readonly string[]): number => {
    findings.push(...found.slice(0, FINDINGS_SHOWN));
    return found.length;
  };
  const orders = ordersOf(store);
  const onChain = openingsOf(world.direct, users.map(world.walletOf));
  const judged = orders.map((order) => judgeOrder(store, order, onChain));
  const known = new Map(orders.map((order) => [order.intent.intentId, order]));
  const asked = orders.filter(({ intent }) => intent.isRedemption !== true);
  const keys = store.range(ORDER_KEYS).length;
  const { vault } = world.direct.venue.settlement.backing(world.listing);
  return {
    intents: reported.size,
    orders: asked.length,
    filled: judged.filter(({ contracts }) => contracts > 0).length,
    doubled: count([
      ...judged.flatMap(({ doubled }) => doubled),
      ...(keys === asked.length ? [] : [`${asked.length} orders of ${keys} keys`]),
    ]),
    lost: count(
      [...reported].flatMap(([key, answer]) => {
        const [userId = '', number = ''] = key.split(' ');
        const ref = store.get(ORDER_KEYS, [userId, `${userId} ${number}`])?.value;
        if (answer.kind === 'refused')
          return ref === undefined ? [] : [`${key} was refused (${answer.code}) and made`];
        return ref?.intentId === answer.intentId && known.has(answer.intentId)
          ? []
          : [`${key} is not there`];
      }),
    ),
    guessed: count(judged.flatMap(({ guessed }) => guessed)),
    strangers: count(strangersAmong(onChain, orders)),
    ledgerDiffers: count(users.flatMap((userId) => walletDiffers(evidence, userId))),
    unbacked: count([...backing, ...(vault === 0 ? [] : [`the vault still holds ${vault}`])]),
    brokenLaws: users.flatMap((userId) => brokenLaws(store, userId)),
    errors: log
      .filter(({ level }) => level === 'error')
      .map(({ event, fields }) => `${event} ${JSON.stringify(fields)}`),
    findings,
  };
}

/** Cash and contracts of a user, by the books and by the chain. */
function walletDiffers({ world, store }: ContractEvidence, userId: UserId): readonly string[] {
  const { direct, listing, walletOf } = world;
  const held = (token: Token): number => heldOf(direct.chain, walletOf(userId), token);
  const cash = balanceOf(store, userId, 'usdc:solana');
  const winner = direct.venue.settlement.outcome(listing, 'yes');
  const contracts = balanceOf(store, userId, String(winner.mint) as TokenId); // a mint is a token
  const pairs = [
    ['cash', cash.settled, held(USDC)],
    ['not final', cash.provisional + contracts.provisional, 0],
    ['winning contracts', contracts.settled, held(winner)],
  ] as const;
  return pairs.flatMap(([what, books, chain]) =>
    books === chain ? [] : [`${userId}: ${what} ${books}, on the chain ${chain}`],
  );
}
