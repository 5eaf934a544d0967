import { DIRECTORY } from '../../../config/limits/shared-log.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import { SLOTS, slotOf } from '../../domain/slot.ts';
import type { SharedSecret, ShareSecret } from '../../ports/shared-secret.ts';
import type { Claim, HeldClaim, UserDirectory } from '../../ports/user-directory.ts';
import { untilAnswered, type Engine } from './engine.ts';
import { noteForgotten, readSplits, type ShardSplit } from './split.ts';
import { DIRECTORY_TABLES, makeTables } from './tables.ts';

const DEAL = `insert into slot select n, n % $1::int from generate_series(0, ${SLOTS - 1}) n
  on conflict (slot) do nothing`;
/** Each is a write, whoever has it: an answer proves that what it says is on two nodes. */
const CLAIM = `insert into claim (kind, name, user_id, slot) values ($1, $2, $3, $4)
  on conflict (kind, name) do update set asked = claim.asked + 1 returning user_id`;
const MOVE = `update claim set asked = asked + 1,
    user_id = case when user_id = $3 then $4 else user_id end,
    slot = case when user_id = $3 then $5::int else slot end
  where kind = $1 and name = $2 returning user_id`;
/** Whoever has it seals it anew: the master key may be another one by now. */
const SHARE = `insert into shared_secret values ($1, $2, $3)
  on conflict (name) do update set sealed = case
    when shared_secret.digest = excluded.digest then excluded.sealed
    else shared_secret.sealed end
  returning sealed, digest`;
const OF_SLOTS = 'select kind, name, user_id from claim where slot = any($1::int[])';
const ADD = `insert into claim (kind, name, user_id, slot)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::int[]) on conflict do nothing`;
const REMOVE = `delete from claim using unnest($1::text[], $2::text[], $3::text[]) as gone (k, n, u)
  where kind = k and name = n and user_id = u`;

/** A claim as the table has it. */
interface ClaimRow {
  readonly kind: Claim['kind'];
  readonly name: string;
  readonly user_id: string;
}

/** How many shards there are, and which one is this process's. */
export interface ShardCount {
  readonly shard: number;
  /** As they were dealt out at first, or with some of those that splits have made since. */
  readonly shards: number;
}

/** Users of whom a shard still has records since a split. */
interface MovedUsers {
  readonly slots: ReadonlySet<number>;
  /** The shard that has them. */
  readonly shard: number;
}

/** The directory of a cluster, and the secrets that its shards share. */
export interface ClusterDirectory extends UserDirectory {
  readonly share: ShareSecret;
  /**
   * Reads the slots anew, for a process that has taken its shard: that may have been split since.
   * Resolves with whose users it still has and is to forget; null where it has none.
   */
  readAnew(): Promise<MovedUsers | null>;
  /** Notes that they are forgotten. */
  forgot(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the directory. The first process of a cluster deals the slots out in turn. Errors:
 * `config_invalid` where they were dealt out to another number of shards, or none is this shard's
 * and no split is to make it, `store_unavailable`.
 */
export async function openDirectory(
  engine: Engine,
  { shard, shards }: ShardCount,
): Promise<ClusterDirectory> {
  await makeTables(engine);
  await makeTables(engine, DIRECTORY_TABLES);
  if (shard < shards) await written(DEAL, [shards]);
  const dealt = await readSlots(engine);
  assertCounted({ shard, shards }, dealt, await readSplits(engine));
  let slots = slotsOf(shard, dealt);

  /** Asks again while the engine is away, a few times. */
  function answered<T>(ask: () => Promise<T>): Promise<T> {
    let attempts = 0;
    return untilAnswered(
      () => {
        attempts += 1;
        return ask();
      },
      () => attempts >= DIRECTORY.attemptsMaximum,
    );
  }

  /** Puts a statement again until it is on two nodes. */
  function written<Row extends object>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return answered(async () => {
      const { rows, isDoubtful } = await engine.ask<Row>(text, values);
      if (!isDoubtful) return rows;
      throw new AppError('store_unavailable', 'no standby has confirmed it', { retryable: true });
    });
  }

  const claim: UserDirectory['claim'] = async ({ kind, name }, userId) => {
    const [row] = await written<ClaimRow>(CLAIM, [kind, name, userId, slotIn(userId)]);
    return asId<UserId>(row?.user_id ?? userId);
  };

  return {
    get slots() {
      return slots;
    },
    claim,
    async move({ kind, name }, { from, to }) {
      const [row] = await written<ClaimRow>(MOVE, [kind, name, from, to, slotIn(to)]);
      return row === undefined ? claim({ kind, name }, to) : asId<UserId>(row.user_id);
    },
    release: (claims) => remove(claims),
    async reconcile(claims) {
      for (const some of chunks(claims))
        await written(ADD, [...columnsOf(some), some.map(({ userId }) => slotIn(userId))]);
      const held = new Map(claims.map((one) => [keyOf(one), one.userId]));
      const stale: HeldClaim[] = [];
      for (const { kind, name, user_id: id } of await ofThisShard()) {
        const one = { kind, name, userId: asId<UserId>(id) };
        if (held.get(keyOf(one)) === one.userId) held.delete(keyOf(one));
        else stale.push(one);
      }
      await remove(stale);
      // What a former claim of this shard was in the way of is free now.
      const missing = claims.filter((one) => held.has(keyOf(one)));
      for (const { userId, ...one } of missing)
        if ((await claim(one, userId)) !== userId)
          throw new AppError(
            'config_invalid',
            `${userId} of shard ${shard} and a user of another shard have the same ${one.kind}: the data folder is not one of this cluster.`,
          );
    },
    async share(name, secret) {
      const [row] = await written<SharedSecret>(SHARE, [name, secret.sealed, secret.digest]);
      return row ?? secret;
    },
    async readAnew() {
      // A process that has waited for long finds its connection gone by its first statement.
      const map = await answered(() => readSlots(engine));
      slots = slotsOf(shard, map);
      const all = await answered(() => readSplits(engine));
      const splits = all.filter(({ state }) => state === 'divided');
      const parted = splits.find((split) => split.shard === shard && !split.hasForgotten.shard);
      if (parted !== undefined)
        return { slots: slotsOf(parted.successor, map), shard: parted.successor };
      const made = splits.find(
        (split) => split.successor === shard && !split.hasForgotten.successor,
      );
      if (made === undefined) return null;
      const others = map.flatMap((owner, slot) => (owner === shard ? [] : [slot]));
      return { slots: new Set(others), shard: made.shard };
    },
    forgot: () => noteForgotten(engine, shard),
    close: () => engine.close(),
  };

  async function remove(claims: readonly HeldClaim[]): Promise<void> {
    for (const some of chunks(claims)) await written(REMOVE, columnsOf(some));
  }

  async function ofThisShard(): Promise<readonly ClaimRow[]> {
    const { rows } = await engine.ask<ClaimRow>(OF_SLOTS, [[...slots]]);
    return rows;
  }
}

/**
 * Returns the shard of each slot; none where they were not dealt out yet. Errors:
 * `store_unavailable`; `internal` where there is no table of them yet.
 */
export async function readSlots(engine: Pick<Engine, 'ask'>): Promise<readonly number[]> {
  const { rows } = await engine.ask<{ readonly shard: number }>(
    'select shard from slot order by slot',
  );
  return rows.length === SLOTS ? rows.map(({ shard }) => shard) : [];
}

function slotsOf(shard: number, dealt: readonly number[]): ReadonlySet<number> {
  return new Set(dealt.flatMap((owner, slot) => (owner === shard ? [slot] : [])));
}

/** Errors: `config_invalid`. */
function assertCounted(
  { shard, shards }: ShardCount,
  dealt: readonly number[],
  splits: readonly ShardSplit[],
): void {
  const counted = new Set(dealt).size;
  const first = counted - splits.filter(({ state }) => state === 'divided').length;
  if (counted > 0 && (shards < first || shards > counted))
    throw new AppError(
      'config_invalid',
      `users are parted among ${counted} shards, and PREDICTD_SHARDS says ${shards}: set it to ${counted}.`,
    );
  if (!dealt.includes(shard) && !splits.some(({ successor }) => successor === shard))
    throw new AppError(
      'config_invalid',
      `PREDICTD_SHARD=${shard} is not one of the shards that users are parted among: \`predictd shards\` names them, and \`predictd shards split\` makes another one.`,
    );
}

function slotIn(userId: UserId): number {
  const slot = slotOf(userId);
  if (slot === null) throw new AppError('internal', `the id ${userId} names no slot`);
  return slot;
}

function keyOf({ kind, name }: Claim): string {
  return `${kind} ${name}`;
}

function columnsOf(claims: readonly HeldClaim[]): readonly (readonly string[])[] {
  return [
    claims.map(({ kind }) => kind),
    claims.map(({ name }) => name),
    claims.map(({ userId }) => userId),
  ];
}

function* chunks(claims: readonly HeldClaim[]): Iterable<readonly HeldClaim[]> {
  for (let at = 0; at < claims.length; at += DIRECTORY.claimsPerStatement)
    yield claims.slice(at, at + DIRECTORY.claimsPerStatement);
}
