import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { startEvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import { openLocalChain } from '../../../../src/sandbox/chains/evm/local-chain.ts';
import { parseState, type NodeState } from '../../../../src/sandbox/chains/evm/node-state.ts';
import { runs } from '../../../support/sampled.ts';

/** Blocks of six hours with a few users: two a second (some 90 a minute were seen with one). */
const BLOCKS = runs(6_000, 43_200);
/** Every third had a transaction of 9 KB. */
const TRACES = 'f'.repeat(7_000);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'predictd-growth-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The same chain after so many more blocks and transactions, as a node writes it. */
function grown(state: NodeState): NodeState {
  const [block, transaction] = [state.blocks.at(-1), state.transactions.at(-1)];
  if (block === undefined || transaction === undefined) throw new Error('a chain has blocks');
  const first = Number(block.header.number) + 1;
  const numbers = Array.from({ length: BLOCKS }, (_, index) => first + index);
  const last = numbers.at(-1) ?? first;
  return {
    ...state,
    block: { ...(state['block'] as object), number: hex(last) },
    best_block_number: last,
    blocks: [
      ...state.blocks,
      ...numbers.map((number) => ({
        ...block,
        header: { ...block.header, number: hex(number) },
        transactions: [],
      })),
    ],
    transactions: [
      ...state.transactions,
      ...numbers
        .filter((number) => number % 3 === 0)
        .map((number) => ({
          ...transaction,
          info: {
            ...transaction.info,
            transaction_hash: hex(number, 64),
            traces: [{ filler: TRACES }],
          },
          block_number: number,
        })),
    ],
  };
}

function hex(number: number, digits = 0): string {
  return `0x${number.toString(16).padStart(digits, '0')}`;
}

it('starts after six hours with as many blocks and bytes as when it was young', async () => {
  const file = join(folder, 'chain.json');
  const young = await startEvmNode({ chainId: 137, stateFile: file });
  await (await openLocalChain(young, 7)).sender('relayer').send({ to: `0x${'1'.repeat(40)}` });
  await young.client.mine({ blocks: LOCAL_CHAIN.blocksKept });
  await young.close();
  const parting = `${file}.parting`;
  const youngBytes = statSync(parting).size;
  const state = grown(parseState(parting, readFileSync(parting, 'utf8')));
  writeFileSync(parting, JSON.stringify(state));
  const oldBytes = statSync(parting).size;
  const beganMs = Date.now();
  const old = await startEvmNode({ chainId: 137, stateFile: file });
  try {
    console.log(
      `${BLOCKS} blocks later: ${oldBytes} bytes became ${statSync(file).size} (young: ${youngBytes}) in ${Date.now() - beganMs} ms`,
    );
    const { blocks, transactions } = parseState(file, readFileSync(file, 'utf8'));
    expect(blocks).toHaveLength(LOCAL_CHAIN.blocksKept);
    expect(transactions.length).toBeLessThan(LOCAL_CHAIN.blocksKept);
    expect(statSync(file).size).toBeLessThan(2 * youngBytes);
    expect(await old.client.getBlockNumber()).toBe(BigInt(Number(state['best_block_number'])));
    const next = await (await openLocalChain(old, 7))
      .sender('relayer')
      .send({ to: `0x${'1'.repeat(40)}` });
    expect(next.status).toBe('success');
  } finally {
    await old.close();
  }
});
