import { describe, expect, it } from 'vitest';
import { SHARD_SPLIT } from '../../config/limits/shared-log.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { depositEntry, fillEntry } from '../../src/domain/ledger-entries.ts';
import {
  asId,
  type OrderId,
  type TokenId,
  type TradeId,
  type UserId,
} from '../../src/domain/ids.ts';
import { slotText } from '../../src/domain/slot.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Key, Store, StoreWriter } from '../../src/ports/store.ts';
import { postToLedger } from '../../src/services/books/record-changes.ts';
import { paperTable } from '../../src/services/books/tables.ts';
import { forgetUsers } from '../../src/services/forget-users.ts';
import { createPaperStore } from '../../src/services/paper/paper-store.ts';
import { RECORD_OWNERS, type TableOwners } from '../../src/services/record-owners.ts';
import { VENUES } from '../../src/venues/table.ts';
import { aUserId, T0 } from '../support/builders.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';

const SLOTS = { leaving: 2, staying: 4 } as const;
const bodyAt = (slot: number): string => `${slotText(slot)}0123456789abcdefghjkmnpq`;
const LEAVING = asId<UserId>(`usr_${bodyAt(SLOTS.leaving)}`);
const STAYING = asId<UserId>(`usr_${bodyAt(SLOTS.staying)}`);
const SHADOW = 'shadow:up_down:x';
const venueTables: TableOwners = Object.assign({}, ...VENUES.map(({ tables }) => tables));
const TABLES = Object.entries({ ...venueTables, ...RECORD_OWNERS });
const options = {
  slots: new Set([SLOTS.leaving]),
  shard: 7,
  venueTables,
  atMs: T0,
  giveWay: async () => undefined,
};

/** A record of a user, under each kind of key there is. */
function recordsOf(
  name: string,
  rule: TableOwners[string],
  userId: UserId,
): readonly (readonly [Key, object])[] {
  const body = userId.slice('usr_'.length);
  const [keyId, familyId, wallet] = [`key_${body}`, `ses_${body}`, `0x${body}`];
  switch (rule) {
    case 0:
      return [
        [
          [userId, ...(name === 'api_keys' ? [keyId] : ['x', 1])],
          { userId, keyId, address: wallet },
        ],
      ];
    case 1:
      return [[['user', userId, 'x'], {}]];
    case 'record':
      return [[[name === 'refresh_token_families' ? familyId : `x ${body}`], { userId }]];
    case 'challenge':
      return [[[`otp_${body}`], { purpose: `transfer ${userId}` }]];
    case 'ending':
      return [
        [[1, 'challenge', `otp_${body}`], {}],
        [[2, 'code_asker', userId], {}],
      ];
    case 'key':
      return [[[keyId, 7], {}]];
    case 'session':
      return [[[familyId, 0], {}]];
    case 'wallet':
      return [[[wallet], {}]];
    default:
      return [];
  }
}

/** Money and shares of a user: a deposit, and a fill that is not final. */
function postBooks(tx: StoreWriter, userId: UserId): void {
  const [cashAccount, tokenId] = ['usdc:safe', asId<TokenId>('7001')] as const;
  const transfer = { userId, cashAccount, transferId: 't', usdc: usdcMicros(9_000_000), atMs: T0 };
  postToLedger(tx, userId, depositEntry(transfer));
  const fill = fillEntry(
    {
      orderId: asId<OrderId>('o'),
      tradeId: asId<TradeId>(`t ${userId}`),
      userId,
      cashAccount,
      tokenId,
      side: 'buy',
      shares: shareMicros(5_000_000),
      usdc: usdcMicros(2_500_000),
      fee: usdcMicros(10_001),
      feeShares: shareMicros(3),
    },
    T0,
  );
  postToLedger(tx, userId, fill);
}

async function filled(store: Store): Promise<void> {
  const paper = createPaperStore(store, () => null);
  for (const userId of [LEAVING, STAYING]) {
    await store.write((tx) => {
      for (const [name, rule] of TABLES)
        for (const [key, value] of recordsOf(name, rule, userId)) tx.put({ name }, key, value);
      tx.put(paperTable({ name: 'orders' }), [userId, 'p'], {});
      postBooks(tx, userId);
    });
    await paper.write((tx) => postBooks(tx, userId));
  }
  await store.write((tx) => {
    for (const [name, rule] of TABLES) if (rule === 'all') tx.put({ name }, ['x', 1], {});
    for (const name of ['stops', 'data_keys', 'breakers']) tx.put({ name }, ['service'], {});
    tx.put({ name: 'code_askers' }, ['a digest'], {});
    tx.put({ name: 'sign_in_expiry' }, [3, 'phone', `usr-${bodyAt(SLOTS.leaving)}`], {});
    tx.put(paperTable({ name: 'orders' }), [SHADOW, 'p'], {});
  });
}

/** Every record, by table and key. */
function recordsIn(store: Store): ReadonlyMap<string, string> {
  const names = TABLES.flatMap(([name]) => [name, paperTable({ name }).name]);
  return new Map(
    [...new Set(names)].flatMap((name) =>
      store
        .range({ name })
        .map(({ key, value }) => [JSON.stringify([name, ...key]), JSON.stringify(value)] as const),
    ),
  );
}

const isAbout = (userId: UserId, record: readonly [string, string]): boolean =>
  record.join(' ').includes(userId.slice('usr_'.length)) && !record[0].includes('usr-');

/** A store whose process ends before its change of this number. */
function dying(store: Store, after: number): Store {
  let left = after;
  return {
    ...store,
    write: async (change) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return store.write(change);
    },
  };
}

describe('users whom another shard has since a split', () => {
  it('are forgotten in every table, and no record of anyone else is', async () => {
    const store = createMemoryStore();
    await filled(store);
    const before = recordsIn(store);
    const count = await forgetUsers(store, options);
    const after = recordsIn(store);
    expect([...after].filter((record) => isAbout(LEAVING, record))).toEqual([]);
    const isBooks = ([name]: readonly [string, string]): boolean => name.includes('"outside"');
    const kept = [...before].filter((record) => !isAbout(LEAVING, record) && !isBooks(record));
    expect([...after].filter((record) => !isBooks(record))).toEqual(kept);
    const own = [...before].filter((record) => isAbout(LEAVING, record));
    expect(own.length).toBeGreaterThan(TABLES.length / 2);
    expect(store.readJournal(store.newestFact() - 1, 1).map(({ event }) => event)).toMatchObject([
      { type: 'audit.recorded', userId: LEAVING, action: 'user_moved', subject: 'shard 7' },
    ]);
    // And what was booked as they left.
    expect(count).toBe(own.length + 2 * ACCOUNTS);
  });

  it('leave the ledger by entries of the journal, and it adds up to nothing on both sides', async () => {
    for (const slot of Object.values(SLOTS)) {
      const store = createMemoryStore();
      await filled(store);
      await forgetUsers(store, { ...options, slots: new Set([slot]) });
      const stays = slot === SLOTS.leaving ? STAYING : LEAVING;
      for (const name of ['balances', 'paper.balances'])
        expect(store.get({ name }, [stays, 'usdc:safe'])?.value).toEqual({
          provisional: -2_510_001,
          settled: 9_000_000,
        });
      expect(verifyBooks(store)).toMatchObject({ imbalanceMicros: 0, differing: [] });
      const sums = new Map<string, number>();
      for (const { key, value } of store.range<Record<string, number>>({ name: 'paper.balances' }))
        for (const [column, micros] of Object.entries(value)) {
          const name = `${String(key[1])} ${column}`;
          sums.set(name, (sums.get(name) ?? 0) + micros);
        }
      expect([...sums.values()].every((sum) => sum === 0)).toBe(true);
    }
  });

  it('are forgotten by the next start where one is killed between any two changes', async () => {
    const whole = createMemoryStore();
    await filled(whole);
    await forgetUsers(whole, options);
    for (let after = 0; ; after += 1) {
      const store = createMemoryStore();
      await filled(store);
      const isKilled = await forgetUsers(dying(store, after), options).then(
        () => false,
        () => true,
      );
      if (isKilled) await forgetUsers(store, options);
      expect(recordsIn(store)).toEqual(recordsIn(whole));
      if (!isKilled) break;
    }
  });

  it('are forgotten in changes of few records each', async () => {
    const store = createMemoryStore();
    const many = 2 * SHARD_SPLIT.recordsPerChange + 1;
    await store.write((tx) => {
      for (let at = 0; at < many; at += 1) {
        tx.put({ name: 'orders' }, [LEAVING, `int_${at}`], {});
        tx.put({ name: 'orders' }, [aUserId(at), 'int_0'], {});
      }
    });
    const sizes: number[] = [];
    const counting: Store = {
      ...store,
      write: (change) =>
        store.write((tx) => {
          let removed = 0;
          const result = change({
            ...tx,
            remove: (...gone) => (tx.remove(...gone), (removed += 1)),
          });
          sizes.push(removed);
          return result;
        }),
    };
    let turns = 0;
    const giveWay = async (): Promise<void> => void (turns += 1);
    expect(await forgetUsers(counting, { ...options, giveWay })).toBe(many);
    // A page of records is read in one turn.
    expect(turns).toBe(Math.floor((2 * many) / SHARD_SPLIT.recordsPerChange));
    expect(sizes).toEqual([SHARD_SPLIT.recordsPerChange, SHARD_SPLIT.recordsPerChange, 1]);
    expect(store.range({ name: 'orders' }).length).toBe(many);
  });
});

/** Of a user's books: cash and one token. */
const ACCOUNTS = 2;
