import { encodeFunctionData, keccak256, maxUint256, padHex, toBytes, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { asId, type Address, type TokenId } from '../../../src/domain/ids.ts';
import type { EvmChain } from '../../../src/ports/evm.ts';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { TOKEN_ABI } from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { startEvmNode, type EvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startChainFixture, type ChainFixture } from '../../support/fixtures/relayer-fixture.ts';
import { startStubServer } from '../../support/fixtures/stub-server.ts';

const HOLDER = asId<Address>('0x2222222222222222222222222222222222222222');
const OTHER = asId<Address>('0x3333333333333333333333333333333333333333');
const COLLATERAL = asId<Address>(VENUE_A_CHAIN.collateral);
const USDC = asId<Address>(VENUE_A_CHAIN.usdc);
const TOKENS = asId<Address>(VENUE_A_CHAIN.conditionalTokens);
const TRANSFER = keccak256(toBytes('Transfer(address,address,uint256)'));
const UNKNOWN_HASH: Hex = `0x${'12'.repeat(32)}`;
const hex = (address: Address) => address as unknown as Hex; // an Address is checksummed 0x hex
const toHolder = padHex(hex(HOLDER), { size: 32 });

let fixture: ChainFixture;
let chain: EvmChain;
const metrics = createCountingMetrics();
const chainAt = (rpcUrl: string, chainId = 137, logSpanBlocks = 3) =>
  createEvmChain({ chainId, rpcUrl, metrics, logSpanBlocks });
const mint = async (to: Address, micros: bigint, token: Hex = VENUE_A_CHAIN.collateral) => {
  const data = encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'mint',
    args: [hex(to), micros],
  });
  return (await fixture.chain.sender('deployer').send({ to: token, data })).transactionHash;
};

beforeAll(async () => {
  fixture = await startChainFixture();
  chain = chainAt(fixture.node.url);
});
afterAll(() => fixture.close());

describe('an EVM chain behind a real node', () => {
  it('tells its newest block', async () => {
    const block = await fixture.node.client.getBlock();
    expect(await chain.head()).toEqual({
      blockNumber: Number(block.number),
      atMs: Number(block.timestamp) * 1_000,
      hash: block.hash,
    });
  });

  it('tells a contract from an account', async () => {
    expect([await chain.hasCode(COLLATERAL), await chain.hasCode(OTHER)]).toEqual([true, false]);
    const code = await fixture.node.client.getCode({ address: COLLATERAL as unknown as Hex });
    expect([await chain.codeHash(COLLATERAL), await chain.codeHash(OTHER)]).toEqual([
      keccak256(code ?? '0x'),
      null,
    ]);
  });

  it('reads native coin and tokens of one moment, in the order asked', async () => {
    await mint(HOLDER, 5n);
    await mint(HOLDER, 7n, VENUE_A_CHAIN.usdc);
    expect(await chain.balances(HOLDER, [USDC, COLLATERAL])).toEqual({ wei: 0n, tokens: [7n, 5n] });
    expect(
      (await chain.balances(asId<Address>(fixture.chain.sender('deployer').address), [])).wei,
    ).toBeGreaterThan(0n);
  });

  it('names the address that is no token instead of calling its balance zero', async () => {
    await expect(chain.balances(HOLDER, [COLLATERAL, OTHER])).rejects.toMatchObject({
      code: 'chain_reverted',
      message: `${OTHER} tells no balance`,
    });
    await expect(chain.shares(HOLDER, OTHER, [asId<TokenId>('1')])).rejects.toMatchObject({
      code: 'chain_unavailable',
      retryable: true,
    });
  });

  it('reads outcome shares', async () => {
    expect(
      await chain.shares(HOLDER, TOKENS, [asId<TokenId>('1'), asId<TokenId>(String(maxUint256))]),
    ).toEqual([0n, 0n]);
    expect(await chain.shares(HOLDER, TOKENS, [])).toEqual([]);
  });

  it("tells the contract's reason when a call is refused", async () => {
    const tooMuch = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'mint',
      args: [hex(HOLDER), 1n],
    });
    await expect(chain.call(COLLATERAL, tooMuch)).rejects.toMatchObject({
      code: 'chain_reverted',
      retryable: false,
    });
    expect(metrics.counts['chain_calls_total chain=137 outcome=reverted']).toBe(1);
  });

  it('counts the blocks on top of a transaction, and knows no transaction that is in none', async () => {
    const hash = await mint(HOLDER, 1n);
    expect(await chain.receipt(hash)).toMatchObject({
      transactionHash: hash,
      succeeded: true,
      confirmations: 1,
    });
    await fixture.node.client.mine({ blocks: 2 });
    const receipt = await chain.receipt(hash);
    expect(receipt?.confirmations).toBe(3);
    expect(
      receipt?.logs.map(({ address, topics, data }) => [
        address,
        topics[0],
        topics[2],
        BigInt(data),
      ]),
    ).toEqual([[COLLATERAL, TRANSFER, toHolder, 1n]]);
    expect(await chain.receipt(UNKNOWN_HASH)).toBeNull();
  });

  it('says of a transaction that failed that it did', async () => {
    const { hash, receipt } = await fixture.chain.sender('operator').submit({
      to: VENUE_A_CHAIN.collateral,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [hex(HOLDER), 1n] }),
    });
    await receipt;
    expect(await chain.receipt(hash)).toMatchObject({ succeeded: false, logs: [] });
  });

  it('reads events over several spans, oldest first and only those asked for', async () => {
    const from = (await chain.head()).blockNumber + 1;
    for (const micros of [11n, 12n, 13n, 14n]) {
      await mint(micros === 12n ? OTHER : HOLDER, micros);
      await fixture.node.client.mine({ blocks: 1 });
    }
    const to = (await chain.head()).blockNumber;
    const amounts = async (topics: Parameters<EvmChain['logs']>[0]['topics']) =>
      (await chain.logs({ address: COLLATERAL, topics, fromBlock: from, toBlock: to })).map(
        ({ data }) => BigInt(data),
      );
    expect(to - from).toBeGreaterThan(5);
    expect(await amounts([TRANSFER, null, toHolder])).toEqual([11n, 13n, 14n]);
    expect(await amounts([TRANSFER, null, [toHolder, padHex(hex(OTHER), { size: 32 })]])).toEqual([
      11n,
      12n,
      13n,
      14n,
    ]);
    expect(await amounts([UNKNOWN_HASH])).toEqual([]);
  });

  it('refuses to read events of more blocks than its bound', async () => {
    await expect(
      chain.logs({ address: COLLATERAL, topics: [], fromBlock: 0, toBlock: 301 }),
    ).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('L2: knows no transaction of a block that was taken back', async () => {
    const snapshot = await fixture.node.client.snapshot();
    const hash = await mint(OTHER, 9n);
    expect(await chain.receipt(hash)).not.toBeNull();
    await fixture.node.client.revert({ id: snapshot });
    expect(await chain.receipt(hash)).toBeNull();
  });
});

const DEEP_RECEIPT = {
  transactionHash: UNKNOWN_HASH,
  status: '0x1',
  blockNumber: '0x5',
  blockHash: `0x${'aa'.repeat(32)}`,
  logs: [],
};
const DEEP_BLOCK = { number: '0x5', timestamp: '0x1', hash: DEEP_RECEIPT.blockHash };

/** A node that gives these results, one a call. */
function answering(...results: unknown[]) {
  return startStubServer({
    answer: () => ({
      headers: { 'content-type': 'application/json' },
      body: { jsonrpc: '2.0', id: 1, result: results.shift() },
    }),
  });
}

describe('a node that cannot be used', () => {
  it('is unavailable when it serves another chain', async () => {
    await expect(chainAt(fixture.node.url, 8453).head()).rejects.toMatchObject({
      code: 'chain_unavailable',
      retryable: true,
    });
  });

  it('L3: proves nothing by the receipt of a transaction that is in no block, as some nodes give', async () => {
    const pending = {
      transactionHash: UNKNOWN_HASH,
      status: '0x1',
      blockNumber: null,
      blockHash: null,
      logs: [],
    };
    const node = await answering('0x89', pending, '0x6d');
    await expect(chainAt(node.httpUrl).receipt(UNKNOWN_HASH)).rejects.toMatchObject({
      code: 'chain_unavailable',
      retryable: true,
    });
    await node.close();
  });

  it.each([
    ['shows another block in its place', `0x${'bb'.repeat(32)}`, null],
    ['has it in its chain', `0x${'aa'.repeat(32)}`, 4],
  ] as const)(
    'L2: takes a receipt for what a block says that lies deep where the node %s',
    async (_what, hash, confirmations) => {
      const block = { ...DEEP_BLOCK, hash };
      const node = await answering('0x89', DEEP_RECEIPT, '0x8', block);
      const found = await chainAt(node.httpUrl).receipt(UNKNOWN_HASH);
      expect(found?.confirmations ?? null).toBe(confirmations);
      await node.close();
    },
  );

  it('says whether it has a block, or has pruned it', async () => {
    const node = await answering('0x89', DEEP_BLOCK, null);
    const asked = chainAt(node.httpUrl);
    expect([await asked.hasBlock(5), await asked.hasBlock(4)]).toEqual([true, false]);
    await node.close();
  });

  it('is unavailable when it is gone, and its address stays out of the message', async () => {
    const node: EvmNode = await startEvmNode({ chainId: 137, stateFile: null });
    const gone = chainAt(`${node.url}/v2/secret-key`);
    await node.close();
    const error: unknown = await gone.head().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'chain_unavailable', retryable: true });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('secret-key');
    // users read the message, and the host of a node is for the operator's log alone
    expect(String(error)).not.toContain('127.0.0.1');
  });
});
