import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  encodeFunctionData,
  hashTypedData,
  maxUint256,
  parseAbi,
  parseSignature,
  size,
  zeroAddress,
  zeroHash,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  SAFE_ABI,
  TOKEN_ABI,
} from '../../../../../src/sandbox/chains/evm/contract-abis.ts';
import { deploy } from '../../../../support/fixtures/deploy-chains.ts';
import { startEvmNode, type EvmNode } from '../../../../../src/sandbox/chains/evm/evm-node.ts';
import { deploySafe } from '../../../../support/fixtures/deploy-safe.ts';
import { BASE_CHAIN, MULTICALL3 } from '../../../../../src/sandbox/chains/evm/chain-addresses.ts';
import type { DeployedChain } from '../../../../../src/sandbox/chains/evm/deploy-chain.ts';

/** The publicly known test key of venue_a.md section 17. */
const OWNER = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);
/** Plain dollars to collateral and back. */
const RAMP_ABI = parseAbi([
  'function wrap(address asset, address to, uint256 amount)',
  'function unwrap(address asset, address to, uint256 amount)',
]);
const { collateral, usdc, bridgedUsdc, conditionalTokens, collateralAdapter, onramp, offramp } =
  VENUE_A_CHAIN;

describe("the venue's local chain", () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-venue-chain-'));
  const stateFile = join(folder, 'polygon.json');
  let node: EvmNode;
  let chain: DeployedChain;
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 137, stateFile });
    chain = await deploy('polygon', node);
  });
  afterAll(async () => {
    await node.close();
    rmSync(folder, { recursive: true });
  });

  const balance = (token: Hex, owner: Hex) =>
    node.client.readContract({
      address: token,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [owner],
    });
  const mint = (token: Hex, to: Hex, amount: bigint) =>
    chain.sender('deployer').send({
      to: token,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, amount] }),
    });

  it('carries the Safe set and Multicall3 at their production addresses', async () => {
    expect(chain.safes).toEqual({
      safe: '0x41675C099F32341bf84BFc5382aF534df5C7461a',
      safeL2: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
      proxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
      fallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
      multiSend: '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
      multiSendCallOnly: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
    });
    const results = await node.client.multicall({
      multicallAddress: MULTICALL3,
      allowFailure: false,
      contracts: [
        { address: collateral, abi: TOKEN_ABI, functionName: 'symbol' },
        { address: usdc, abi: TOKEN_ABI, functionName: 'symbol' },
        { address: VENUE_A_CHAIN.bridgedUsdc, abi: TOKEN_ABI, functionName: 'name' },
        { address: collateral, abi: TOKEN_ABI, functionName: 'decimals' },
      ],
    });
    expect(results).toEqual(['pUSD', 'USDC', 'USD Coin (PoS)', 6]);
  });

  it('is left as it is by a second deployment, and by one on the restored state', async () => {
    await mint(usdc, '0x2222222222222222222222222222222222222222', 3n);
    const before = await node.client.getBlockNumber();
    chain = await deploy('polygon', node);
    expect(await node.client.getBlockNumber()).toBe(before);
    await node.close();
    node = await startEvmNode({ chainId: 137, stateFile });
    const restored = await node.client.getBlockNumber();
    chain = await deploy('polygon', node);
    expect([
      await node.client.getBlockNumber(),
      await balance(usdc, '0x2222222222222222222222222222222222222222'),
    ]).toEqual([restored, 3n]);
  });

  it("lets only the sandbox's own account mint", async () => {
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'mint',
      args: [OWNER.address, 1n],
    });
    await expect(chain.sender('relayer').send({ to: collateral, data })).rejects.toMatchObject({
      code: 'chain_reverted',
    });
  });

  it('takes a permit at the production address, where the domain was not known when the code was made', async () => {
    const relayer = chain.sender('relayer');
    const domain = {
      name: 'USD Coin',
      version: '1',
      chainId: 137,
      verifyingContract: usdc,
    } as const;
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    } as const;
    const message = {
      owner: OWNER.address,
      spender: relayer.address,
      value: 5n,
      nonce: 0n,
      deadline: maxUint256,
    };
    const {
      r,
      s,
      v = 27n,
    } = parseSignature(
      await OWNER.signTypedData({ domain, types, primaryType: 'Permit', message }),
    );
    await mint(usdc, OWNER.address, 5n);
    await relayer.send({
      to: usdc,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'permit',
        args: [OWNER.address, relayer.address, 5n, maxUint256, Number(v), r, s],
      }),
    });
    await relayer.send({
      to: usdc,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transferFrom',
        args: [OWNER.address, relayer.address, 5n],
      }),
    });
    expect([await balance(usdc, OWNER.address), await balance(usdc, relayer.address)]).toEqual([
      0n,
      5n,
    ]);
  });

  it('wraps dollars into collateral and back, one for one', async () => {
    const bridge = chain.sender('bridge');
    const reserve = await balance(usdc, collateral);
    await mint(usdc, bridge.address, 100n);
    await bridge.send({
      to: usdc,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [onramp, 100n] }),
    });
    await bridge.send({
      to: onramp,
      data: encodeFunctionData({
        abi: RAMP_ABI,
        functionName: 'wrap',
        args: [usdc, OWNER.address, 60n],
      }),
    });
    await bridge.send({
      to: onramp,
      data: encodeFunctionData({
        abi: RAMP_ABI,
        functionName: 'wrap',
        args: [usdc, bridge.address, 40n],
      }),
    });
    await bridge.send({
      to: collateral,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [offramp, 40n] }),
    });
    await bridge.send({
      to: offramp,
      data: encodeFunctionData({
        abi: RAMP_ABI,
        functionName: 'unwrap',
        args: [usdc, bridge.address, 40n],
      }),
    });
    expect(
      await Promise.all([
        balance(collateral, OWNER.address),
        balance(collateral, bridge.address),
        balance(usdc, bridge.address),
        balance(usdc, collateral),
      ]),
    ).toEqual([60n, 0n, 40n, reserve + 60n]);
    const unwrapTooMuch = encodeFunctionData({
      abi: RAMP_ABI,
      functionName: 'unwrap',
      args: [usdc, bridge.address, 1n],
    });
    await expect(bridge.send({ to: offramp, data: unwrapTooMuch })).rejects.toMatchObject({
      code: 'chain_reverted',
    });
  });

  it('makes no collateral that is not backed by dollars', async () => {
    const made = await node.client.readContract({
      address: collateral,
      abi: TOKEN_ABI,
      functionName: 'totalSupply',
    });
    const [usdcHeld, bridgedHeld] = await Promise.all([
      balance(usdc, collateral),
      balance(bridgedUsdc, collateral),
    ]);
    await mint(collateral, OWNER.address, 1n);
    await expect(
      mint(collateral, OWNER.address, usdcHeld + bridgedHeld - made),
    ).rejects.toMatchObject({ code: 'chain_reverted' });
  });

  it('splits, merges and redeems through the collateral adapter, and keeps nothing there', async () => {
    const oracle = chain.sender('oracle');
    const holder = chain.sender('operator');
    const call = (to: Hex, data: Hex) => holder.send({ to, data });
    const questionId = `0x${'ab'.repeat(32)}` as const;
    await oracle.send({
      to: conditionalTokens,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'prepareCondition',
        args: [oracle.address, questionId, 2n],
      }),
    });
    const conditionId = await node.client.readContract({
      address: conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'getConditionId',
      args: [oracle.address, questionId, 2n],
    });
    await mint(collateral, holder.address, 100n);
    await call(
      collateral,
      encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [collateralAdapter, maxUint256],
      }),
    );
    await call(
      conditionalTokens,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [collateralAdapter, true],
      }),
    );
    await call(
      collateralAdapter,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'splitPosition',
        args: [collateral, zeroHash, conditionId, [1n, 2n], 100n],
      }),
    );
    expect(await balance(collateral, holder.address)).toBe(0n);
    await call(
      collateralAdapter,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'mergePositions',
        args: [collateral, zeroHash, conditionId, [1n, 2n], 30n],
      }),
    );
    expect(await balance(collateral, holder.address)).toBe(30n);
    const redeem = encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'redeemPositions',
      args: [collateral, zeroHash, conditionId, [1n, 2n]],
    });
    await expect(call(collateralAdapter, redeem)).rejects.toMatchObject({ code: 'chain_reverted' });
    await oracle.send({
      to: conditionalTokens,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'reportPayouts',
        args: [questionId, [1n, 0n]],
      }),
    });
    await call(collateralAdapter, redeem);
    expect([
      await balance(collateral, holder.address),
      await balance(collateral, collateralAdapter),
    ]).toEqual([100n, 0n]);
  });

  it("makes an owner's Safe stand at the address of the venue's rule, once however often it is asked", async () => {
    const answers = await Promise.all([
      deploySafe(chain, OWNER.address),
      deploySafe(chain, OWNER.address),
    ]);
    const again = await deploySafe(chain, OWNER.address);
    const safe = '0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47';
    expect([...answers, again].map((answer) => answer.safe)).toEqual([safe, safe, safe]);
    expect(
      [...answers, again].filter(({ transactionHash }) => transactionHash !== null),
    ).toHaveLength(1);
    expect(
      await node.client.readContract({ address: safe, abi: SAFE_ABI, functionName: 'getOwners' }),
    ).toEqual([OWNER.address]);
  });

  it('runs what the owner signed through the relayer, while the owner has no native coin', async () => {
    const { safe } = await deploySafe(chain, OWNER.address);
    await mint(collateral, safe, 10n);
    const message = {
      to: collateral,
      value: 0n,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [usdc, 4n] }),
      operation: 0,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
      nonce: 0n,
    } as const;
    const hash = hashTypedData({
      domain: { chainId: 137, verifyingContract: safe },
      primaryType: 'SafeTx',
      message,
      types: {
        SafeTx: [
          'address to',
          'uint256 value',
          'bytes data',
          'uint8 operation',
          'uint256 safeTxGas',
          'uint256 baseGas',
          'uint256 gasPrice',
          'address gasToken',
          'address refundReceiver',
          'uint256 nonce',
        ].map((field) => ({ type: field.split(' ')[0] ?? '', name: field.split(' ')[1] ?? '' })),
      },
    });
    const signature = await OWNER.sign({ hash });
    const data = encodeFunctionData({
      abi: SAFE_ABI,
      functionName: 'execTransaction',
      args: [message.to, 0n, message.data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signature],
    });
    await chain.sender('relayer').send({ to: safe, data });
    expect([
      size(signature),
      await balance(collateral, safe),
      await node.client.getBalance({ address: OWNER.address }),
    ]).toEqual([65, 6n, 0n]);
    // The same bytes once more: the Safe's nonce has moved on.
    await expect(chain.sender('relayer').send({ to: safe, data })).rejects.toMatchObject({
      code: 'chain_reverted',
    });
  });
});

describe('the local layer-2', () => {
  it('carries the dollar at its production address, as often as it is deployed', async () => {
    const node = await startEvmNode({ chainId: 8453, stateFile: null });
    try {
      await deploy('base', node);
      const blocks = await node.client.getBlockNumber();
      await deploy('base', node);
      expect(
        await node.client.readContract({
          address: BASE_CHAIN.usdc,
          abi: TOKEN_ABI,
          functionName: 'name',
        }),
      ).toBe('USD Coin');
      expect(await node.client.getBlockNumber()).toBe(blocks);
    } finally {
      await node.close();
    }
  });
});
