import type { Engine } from './engine.ts';

/** Of shards; `frame` and `bytes` are compressed already: the engine is not to try again. */
const SHARD_TABLES = [
  `create table if not exists shard (
     id int primary key, epoch bigint not null, beat bigint not null, owner text not null,
     head bigint not null, address text not null default '', session text not null default '')
     with (fillfactor = 20)`,
  `create table if not exists shard_log (
     shard int not null, seq bigint not null, epoch bigint not null, hash text not null,
     frame bytea storage external not null, primary key (shard, seq))`,
  `create table if not exists shard_snapshot_head (
     shard int not null, seq bigint not null, hash text not null, writer text not null,
     parts int not null default 0, digest text not null default '',
     touched_at timestamptz not null default clock_timestamp(), restored_at timestamptz,
     primary key (shard, seq))`,
  `create table if not exists shard_snapshot (
     shard int not null, seq bigint not null, part int not null, file text not null,
     digest text not null, bytes bytea storage external not null, primary key (shard, seq, part))`,
  `create table if not exists shard_member (
     name text primary key, shard int not null, owner text not null, state text not null,
     reason text not null, sentence text not null, seq bigint not null, version text not null,
     since timestamptz not null, seen timestamptz not null) with (fillfactor = 20)`,
  `create table if not exists shard_split (
     successor int primary key, shard int not null, slots int[] not null, state text not null,
     seq bigint, asked bigint not null default 0, shard_forgot boolean not null default false,
     successor_forgot boolean not null default false)`,
] as const;
/** Of the directory of users. */
export const DIRECTORY_TABLES = [
  'create table if not exists slot (slot int primary key, shard int not null)',
  `create table if not exists claim (
     kind text not null, name text not null, user_id text not null, slot int not null,
     asked bigint not null default 0, primary key (kind, name))`,
  'create index if not exists claim_slot on claim (slot)',
  `create table if not exists shared_secret (
     name text primary key, sealed text not null, digest text not null)`,
] as const;
/** A lock of the database's (any number that no other statement here locks). */
const MAKING = 8_142_307;

/**
 * Makes tables where they are missing, those of shards. One process at a time: of two that make the
 * same one at once, PostgreSQL refuses one with any of several codes, `if not exists` or not (its
 * manual promises nothing there). Errors: `store_unavailable`.
 */
export async function makeTables(
  engine: Pick<Engine, 'ask'>,
  tables: readonly string[] = SHARD_TABLES,
): Promise<void> {
  const statements = [`perform pg_advisory_xact_lock(${MAKING})`, ...tables];
  await engine.ask(`do $$ begin ${statements.join('; ')}; end $$`);
}
