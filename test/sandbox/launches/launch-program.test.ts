import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { address } from '@solana/kit';
import {
  Keypair,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { associatedAddress } from '../../../src/sandbox/chains/solana/associated-address.ts';
import { TOKEN_2022_PROGRAM } from '../../../src/sandbox/chains/solana/addresses.ts';
import { openSolanaChain, type Executed } from '../../../src/sandbox/chains/solana/chain.ts';
import { createSolanaFaucet, faucetGenesis } from '../../../src/sandbox/chains/solana/faucet.ts';
import { readTokenData } from '../../../src/sandbox/chains/solana/token-layout.ts';
import { readWireTransaction } from '../../../src/sandbox/chains/solana/wire-transaction.ts';
import { launchProgram } from '../../../src/sandbox/launches/launch-program.ts';
import { PUMP_SDK, bondingCurvePda } from '../../peers/launch-platform.ts';

const COMPILER = fileURLToPath(new URL('../../../config/compile-programs.mjs', import.meta.url));
const SEED = 3;

type Wanted = Parameters<typeof PUMP_SDK.createV2Instruction>[0];

function aChain() {
  const clock = createVirtualClock(1_800_000_000_000);
  const chain = openSolanaChain({
    clock,
    seed: SEED,
    folder: null,
    genesis: faucetGenesis(SEED),
    programs: [launchProgram()],
  });
  const user = Keypair.generate();
  const wallet = address(user.publicKey.toBase58());
  createSolanaFaucet(chain, SEED).giveLamports(wallet, 1_000_000_000n);
  const run = (instruction: TransactionInstruction, signers: readonly Keypair[]): Executed => {
    const message = new TransactionMessage({
      payerKey: user.publicKey,
      recentBlockhash: chain.time.latestBlockhash('processed').blockhash,
      instructions: [instruction],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    return chain.execute(readWireTransaction(transaction.serialize()));
  };
  return {
    chain,
    user,
    wallet,
    async create(change: Partial<Wanted> = {}, mint = Keypair.generate()) {
      const instruction = await PUMP_SDK.createV2Instruction({
        mint: mint.publicKey,
        name: 'A coin',
        symbol: 'COIN',
        uri: 'https://ipfs.io/ipfs/bafkrei',
        creator: user.publicKey,
        user: user.publicKey,
        mayhemMode: false,
        ...change,
      });
      return { mint, executed: run(instruction, [user, mint]) };
    },
    dataOf: (key: PublicKey) => chain.account(key.toBase58())?.data ?? new Uint8Array(),
  };
}

/** The number a program of the chain refused with, as a client sees it. */
function numberOf(executed: Executed): unknown {
  const error = executed.kind === 'landed' ? executed.transaction.error : executed.error;
  return JSON.parse(JSON.stringify(error));
}

describe('the programs of the sandbox', () => {
  it('have committed artifacts that were made from their sources', () => {
    const { status, stderr } = spawnSync(process.execPath, [COMPILER, '--check'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('the launch program', () => {
  it("takes the platform's own instruction, and its package reads the curve", async () => {
    const { create, dataOf, user, chain, wallet } = aChain();
    const { mint, executed } = await create();
    expect(numberOf(executed)).toBeNull();
    const curveKey = bondingCurvePda(mint.publicKey);
    const curve = PUMP_SDK.decodeBondingCurve({
      data: Buffer.from(dataOf(curveKey)),
      owner: new PublicKey(chain.account(curveKey.toBase58())?.programAddress ?? ''),
      executable: false,
      lamports: 0,
    });
    expect({
      virtualTokens: curve.virtualTokenReserves.toString(),
      virtualLamports: curve.virtualQuoteReserves.toString(),
      realTokens: curve.realTokenReserves.toString(),
      supply: curve.tokenTotalSupply.toString(),
      creator: curve.creator.toBase58(),
      complete: curve.complete,
    }).toEqual({
      virtualTokens: '1073000000000000',
      virtualLamports: '30000000000',
      realTokens: '793100000000000',
      supply: '1000000000000000',
      creator: wallet,
      complete: false,
    });
    expect(user.publicKey.toBase58()).toBe(wallet);
  });

  it('gives the whole supply to the curve, with metadata that is final', async () => {
    const { create, dataOf } = aChain();
    const { mint } = await create();
    const data = dataOf(mint.publicKey);
    expect(readTokenData(data)).toEqual({
      kind: 'mint',
      supply: 1_000_000_000_000_000n,
      decimals: 6,
      mintAuthority: null,
      freezeAuthority: null,
      isInitialized: true,
    });
    const text = Buffer.from(data).toString('latin1');
    expect(
      ['A coin', 'COIN', 'https://ipfs.io/ipfs/bafkrei'].map((each) => text.includes(each)),
    ).toEqual([true, true, true]);
    const curve = address(bondingCurvePda(mint.publicKey).toBase58());
    const tokens = associatedAddress(curve, address(mint.publicKey.toBase58()), TOKEN_2022_PROGRAM);
    expect(readTokenData(dataOf(new PublicKey(tokens)))).toMatchObject({
      owner: curve,
      amount: 1_000_000_000_000_000n,
    });
  });

  it('makes no second token of one mint, whatever else is signed', async () => {
    const { create, wallet, chain } = aChain();
    const { mint } = await create();
    const before = chain.account(wallet)?.lamports ?? 0n;
    const { executed } = await create({ name: 'Another' }, mint);
    expect(numberOf(executed)).toEqual({ InstructionError: [0, { Custom: 0 }] });
    expect(before - (chain.account(wallet)?.lamports ?? 0n)).toBe(10_000n);
  });

  it("refuses with the interface's own numbers", async () => {
    const { create } = aChain();
    const refusals = [
      await create({ name: 'n'.repeat(33) }),
      await create({ symbol: 's'.repeat(14) }),
      await create({ uri: `https://x/${'u'.repeat(200)}` }),
      await create({ mayhemMode: true }),
      await create({ cashback: true }),
      await create({ holderReward: true }),
    ];
    expect(refusals.map(({ executed }) => numberOf(executed))).toEqual(
      [6043, 6044, 6045, 6048, 6082, 6084].map((number) => ({
        InstructionError: [0, { Custom: number }],
      })),
    );
  });
});
