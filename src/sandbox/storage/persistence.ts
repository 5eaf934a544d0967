import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SANDBOX } from '../../../config/limits/sandbox.ts';
import { AppError } from '../../domain/errors.ts';
import { damagedFile, jsonIn, sweepUnfinished, wholeLines } from './kept-file.ts';
import { foldDurable, type DurableRecord, type ExchangeSnapshot } from '../engine/durable.ts';
import type { PriceState } from '../feeds/prices/price-process.ts';

/** What a world needs to go on after a stop. */
export interface SavedWorld {
  readonly seed: number;
  readonly foundedAtMs: number;
  readonly prices: PriceState;
  readonly exchange: ExchangeSnapshot | null;
}

/** A world's place on disk. */
export interface WorldStore {
  /** What the last run left; null in a fresh folder. */
  readonly saved: SavedWorld | null;
  /** Begins to write: `take` gives the whole world whenever the log is folded. Called once, before anything is appended. */
  begin(take: () => SavedWorld): void;
  /** Hands records to the operating system before it returns, so they survive the death of the process. */
  append(records: readonly DurableRecord[]): void;
  close(): void;
}

const SNAPSHOT = 'world.json';
const LOG = /^world\.(\d+)\.log$/;
const headSchema = z.object({
  version: z.literal(1),
  generation: z.int().nonnegative(),
  seed: z.int(),
  foundedAtMs: z.int(),
  prices: z.object({
    second: z.int(),
    logScale: z.number(),
    logPrices: z.array(z.number()),
    returns: z.array(z.number()),
  }),
  exchange: z
    .object({ version: z.literal(1), records: z.array(z.looseObject({ kind: z.string() })) })
    .nullable(),
});

/**
 * Opens a world's folder: a snapshot, replaced as a whole, and a log of what changed since. Each start and each fold makes
 * a new generation of the log, so a process that is still dying cannot write into its successor's.
 * Errors: `store_corrupt` when a file cannot be understood or belongs to a world of another seed.
 */
export function openWorldStore(folder: string, seed: number): WorldStore {
  mkdirSync(folder, { recursive: true });
  sweepUnfinished(folder);
  const read = readSaved(folder);
  if (read !== null && read.world.seed !== seed) {
    throw new AppError(
      'store_corrupt',
      `${folder} holds the sandbox of seed ${read.world.seed}, not ${seed}; start with that seed or remove the folder.`,
    );
  }
  let generation = read?.generation ?? 0;
  let log: number | null = null;
  let written = 0;
  let takeWorld: (() => SavedWorld) | null = null;

  function fold(): void {
    if (takeWorld === null) return;
    generation += 1;
    if (log !== null) closeSync(log);
    log = openSync(join(folder, `world.${generation}.log`), 'w');
    written = 0;
    const temporary = join(folder, `${SNAPSHOT}.${process.pid}.new`);
    writeFileSync(temporary, JSON.stringify({ version: 1, generation, ...takeWorld() }));
    renameSync(temporary, join(folder, SNAPSHOT));
    for (const name of readdirSync(folder))
      if (Number(LOG.exec(name)?.[1] ?? generation) < generation)
        rmSync(join(folder, name), { force: true });
  }

  return {
    saved: read?.world ?? null,
    begin(take) {
      takeWorld = take;
      fold();
    },
    append(records) {
      if (log === null) return;
      const line = Buffer.from(`${JSON.stringify(records)}\n`);
      for (let done = 0; done < line.length; ) done += writeSync(log, line, done);
      written += line.length;
      if (written > SANDBOX.worldLogMaximumBytes) fold();
    },
    close() {
      if (log === null) return;
      fold();
      closeSync(log);
      log = null;
    },
  };
}

function readSaved(
  folder: string,
): { readonly generation: number; readonly world: SavedWorld } | null {
  const file = join(folder, SNAPSHOT);
  if (!existsSync(file)) return null;
  const head = headSchema.safeParse(jsonIn(file, readFileSync(file, 'utf8')));
  if (!head.success) throw damagedFile(file);
  const { generation, seed, foundedAtMs, prices, exchange } = head.data;
  // The records were written by this program from typed values; their shape is checked by version, not one by one.
  const snapshot = exchange as ExchangeSnapshot | null;
  const later = readLog(join(folder, `world.${generation}.log`));
  return {
    generation,
    world: {
      seed,
      foundedAtMs,
      prices,
      exchange: later.length === 0 ? snapshot : foldDurable(snapshot, later),
    },
  };
}

/** Records of the log. */
function readLog(file: string): readonly DurableRecord[] {
  return wholeLines(file).flatMap((line) => {
    const records = jsonIn(file, line);
    if (!Array.isArray(records)) throw damagedFile(file);
    return records as readonly DurableRecord[]; // written by `append` from typed values
  });
}
