import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { Address, UserId } from '../../../src/domain/ids.ts';
import type { Table } from '../../../src/ports/store.ts';

/**
 * A process with the store of the folder given, for tests that kill it. It writes pairs of records for ever, and tells on
 * standard output what has become durable: "open", then "durable <n>" for the pair n, or "failed <code>: <sentence>". A third word sets the size of
 * the files of its log.
 */
const LEFT: Table<{ readonly text: string }> = { name: 'left' };
const RIGHT: Table<{ readonly text: string }> = { name: 'right' };

const [path = '', mode = 'write', logBytes] = process.argv.slice(2);
const say = (line: string): unknown => process.stdout.write(`${line}\n`);

try {
  const store = await openLmdbStore({
    path,
    ...(logBytes === undefined ? {} : { logBytes: Number(logBytes) }),
  });
  say('open');
  if (mode === 'read') {
    say(
      `found ${store.range(LEFT).length} ${store.range(RIGHT).length} ${store.readJournal(0, 1_000_000).length}`,
    );
    await store.close();
  } else if (mode === 'hold') {
    setInterval(() => undefined, 1_000);
  } else {
    for (let pair = store.readJournal(0, 1_000_000).length + 1; ; pair += 1) {
      await store.write((tx) => {
        tx.put(LEFT, [pair], { text: 'x'.repeat(2_000) });
        tx.put(RIGHT, [pair], { text: 'x'.repeat(2_000) });
        tx.append({
          type: 'user.created',
          userId: asId<UserId>('usr_a'),
          atMs: pair,
          address: asId<Address>('0x1'),
        });
      });
      await store.flushed();
      say(`durable ${pair}`);
    }
  }
} catch (error) {
  say(
    error instanceof AppError
      ? `failed ${error.code}: ${error.message}`
      : `broken ${String(error)}`,
  );
  process.exitCode = 1;
}
