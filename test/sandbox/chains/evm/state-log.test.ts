import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  foldedState,
  openStateLog,
  type StateLogFiles,
} from '../../../../src/sandbox/chains/evm/state-log.ts';

let folder: string;
let files: StateLogFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-state-'));
  files = { current: join(folder, 'chain.json'), log: join(folder, 'chain.json.log') };
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * A chain of so many blocks, a transaction in each, whose first account has sent them all and whose
 * second is large and never changes.
 */
function aState(blocks: number, branch = 'a') {
  const numbers = Array.from({ length: blocks }, (_, index) => String(index));
  return {
    block: { number: blocks },
    best_block_number: blocks,
    accounts: { '0xsender': { nonce: blocks }, '0xcode': { code: 'c'.repeat(100_000) } },
    blocks: numbers.map((number) => ({
      header: {
        number,
        parentHash: `${branch}${number}`,
        stateRoot: '',
        transactionsRoot: '',
        timestamp: '',
      },
    })),
    transactions: numbers.map((number) => ({
      info: { transaction_hash: `${branch}t${number}` },
      receipt: 'r'.repeat(500),
      block_hash: `${branch}${number}`,
    })),
    historical_states: null,
  };
}
const read = (): unknown => JSON.parse(readFileSync(files.current, 'utf8'));

describe("the log of a chain's state", () => {
  it('takes what has changed, and leads to the same state', () => {
    const log = openStateLog(files);
    log.save(JSON.stringify(aState(3)));
    log.save(JSON.stringify(aState(4)));
    log.save(JSON.stringify(aState(6)));
    expect(read()).toEqual(aState(3));
    expect(statSync(files.log).size).toBeLessThan(5_000);
    expect(foldedState(files)).toEqual(aState(6));
  });

  it('leads to the checkpoint before when the newest was cut short by a kill', () => {
    const log = openStateLog(files);
    log.save(JSON.stringify(aState(3)));
    log.save(JSON.stringify(aState(4)));
    appendFileSync(files.log, '{"block":{"num');
    expect(foldedState(files)).toEqual(aState(4));
  });

  it('is written whole when blocks were taken back', () => {
    const log = openStateLog(files);
    log.save(JSON.stringify(aState(3)));
    log.save(JSON.stringify(aState(4)));
    log.save(JSON.stringify(aState(4, 'b')));
    expect(read()).toEqual(aState(4, 'b'));
    expect(foldedState(files)).toEqual(aState(4, 'b'));
  });

  it('says nothing of a state it does not belong to: a kill came between a whole state and its new log', () => {
    const log = openStateLog(files);
    log.save(JSON.stringify(aState(3)));
    log.save(JSON.stringify(aState(4)));
    const old = readFileSync(files.log, 'utf8');
    openStateLog(files).save(JSON.stringify(aState(9)));
    rmSync(files.log);
    appendFileSync(files.log, old);
    expect(foldedState(files)).toEqual(aState(9));
  });

  it('becomes one state again when it is longer than the state', () => {
    const log = openStateLog(files);
    const large = (number: number) =>
      JSON.stringify({ ...aState(1), filler: `${number} ${'f'.repeat(1_500_000)}` });
    for (const number of [1, 2, 3, 4, 5]) log.save(large(number));
    expect(readFileSync(files.current, 'utf8')).toBe(large(5));
    expect(statSync(files.log).size).toBeLessThan(200);
  });

  it('is not taken for a state when it is not one', () => {
    expect(() => openStateLog(files).save('{"accounts":7}')).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });
});
