import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runReplayCommand } from '../../../src/tools/replay/replay-command.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';
import { IS_WHOLE } from '../../support/sampled.ts';

const MARKETS = sharedData('data/venue_a-btc5m-settlement/markets-2026-07-24-0000-0800.jsonl.gz');

describe.runIf(IS_WHOLE && MARKETS !== null)('the recorded hours of 2026-07-24', () => {
  it('end, enter and trade as the replay README says', async () => {
    const lines: string[] = [];
    await runReplayCommand([MARKETS ?? ''], (line) => void lines.push(line));
    const found = (pattern: RegExp): readonly string[] =>
      lines.flatMap((line) => pattern.exec(line)?.slice(1) ?? []);
    const [decided, ended] = found(/of (\d+) decided by ticks (\d+) end as recorded/);
    const [entries, trades] = found(/, (\d+) entries, \d+ orders, (\d+) trades;/);
    expect(
      readFileSync(
        fileURLToPath(new URL('../../../src/tools/replay/README.md', import.meta.url)),
        'utf8',
      ),
    ).toContain(
      `| 2026-07-24, 8 hours | ${ended} of the ${decided} that ticks decide (8 more by record) | ${entries}, ${trades} |`,
    );
  }, 900_000);
});
