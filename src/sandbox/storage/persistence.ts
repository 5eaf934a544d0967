import {
  closeSync,
  existsSync,
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
import { damagedFile, jsonIn, sweepUnfinished, wholeLines } from './append-file.ts';
import { foldDurable, type DurableRecord, type ExchangeSnapshot } from '../engine/durable.ts';
import type { PriceState } from '../feeds/prices/price-process.ts';
import type { VenueStore } from '../venues/contract.ts';
import { makeFolder } from '../../adapters/files/make-folder.ts';

/** What a world needs to go on after a stop. */
interface SavedWorld {
  readonly seed: number;
  readonly foundedAtMs: number;
  readonly prices: PriceState;
  /** By the venue's id. */
  readonly venues: Readonly<Record<string, ExchangeSnapshot>>;
}

/** A world's place on disk. */
export interface WorldStore {
  /** What the last run left; null in a fresh folder. */
  readonly saved: SavedWorld | null;
  /**
   * Begins to write: `take` gives what is no venue's whenever the log is folded. Called once,
   * before any venue appends.
   */
  begin(take: () => Omit<SavedWorld, 'venues'>): void;
  venue(id: string): VenueStore;
  close(): void;
}

const SNAPSHOT = 'world.json';
const LOG = /^world\.(\d+)\.log$/;
const headSchema = z.object({
  version: z.literal(2),
  generation: z.int().nonnegative(),
  seed: z.int(),
  foundedAtMs: z.int(),
  prices: z.object({
    second: z.int(),
    logScale: z.number(),
    logPrices: z.array(z.number()),
    returns: z.array(z.number()),
  }),
  venues: z.record(
    z.string(),
    z.object({ version: z.literal(1), records: z.array(z.looseObject({ kind: z.string() })) }),
  ),
});

/**
 * Opens a world's folder: a snapshot, replaced as a whole, and a log of what changed since. Each
 * start and each fold makes a new generation of the log, so a process that is still dying cannot
 * write into its successor's. Errors: `store_corrupt` when a file cannot be understood or belongs
 * to a world of another seed.
 */
export function openWorldStore(folder: string, seed: number): WorldStore {
  makeFolder(folder);
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
  let takeWorld: (() => Omit<SavedWorld, 'venues'>) | null = null;
  const takeVenue = new Map<string, () => ExchangeSnapshot>();

  /** One that is not open yet is as the last run left it. */
  function venuesNow(): SavedWorld['venues'] {
    const taken = [...takeVenue].map(([id, take]) => [id, take()] as const);
    return { ...read?.world.venues, ...Object.fromEntries(taken) };
  }

  function append(venue: string, records: readonly DurableRecord[]): void {
    if (log === null) return;
    const line = Buffer.from(`${JSON.stringify({ venue, records })}\n`);
    for (let done = 0; done < line.length; ) done += writeSync(log, line, done);
    written += line.length;
    if (written > SANDBOX.worldLogMaximumBytes) fold();
  }

  function fold(): void {
    if (takeWorld === null) return;
    generation += 1;
    if (log !== null) closeSync(log);
    log = openSync(join(folder, `world.${generation}.log`), 'w');
    written = 0;
    const temporary = join(folder, `${SNAPSHOT}.${process.pid}.new`);
    writeFileSync(
      temporary,
      JSON.stringify({ version: 2, generation, ...takeWorld(), venues: venuesNow() }),
    );
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
    venue: (id) => ({
      snapshot: read?.world.venues[id] ?? null,
      begin: (take) => void takeVenue.set(id, take),
      append: (records) => append(id, records),
    }),
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
  const { generation, seed, foundedAtMs, prices } = head.data;
  // The records were written by this program from typed values; their shape is checked by version,
  // not one by one.
  const venues: Record<string, ExchangeSnapshot> = {
    ...(head.data.venues as object as SavedWorld['venues']),
  };
  for (const [id, records] of readLog(join(folder, `world.${generation}.log`)))
    venues[id] = foldDurable(venues[id] ?? null, records);
  return { generation, world: { seed, foundedAtMs, prices, venues } };
}

const lineSchema = z.object({ venue: z.string(), records: z.array(z.unknown()) });

/** Records of the log, by venue. */
function readLog(file: string): ReadonlyMap<string, readonly DurableRecord[]> {
  const byVenue = new Map<string, DurableRecord[]>();
  for (const line of wholeLines(file)) {
    const read = lineSchema.safeParse(jsonIn(file, line));
    if (!read.success) throw damagedFile(file);
    const known = byVenue.get(read.data.venue) ?? [];
    known.push(...(read.data.records as DurableRecord[])); // written by `append` from typed values
    byVenue.set(read.data.venue, known);
  }
  return byVenue;
}
