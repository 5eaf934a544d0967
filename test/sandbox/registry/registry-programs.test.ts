import { address } from '@solana/kit';
import {
  Keypair,
  type PublicKey,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { openSolanaChain, type Executed } from '../../../src/sandbox/chains/solana/chain.ts';
import { createSolanaFaucet, faucetGenesis } from '../../../src/sandbox/chains/solana/faucet.ts';
import { readWireTransaction } from '../../../src/sandbox/chains/solana/wire-transaction.ts';
import { registryFounding } from '../../../src/sandbox/registry/registry-programs.ts';
import {
  AgentAccount,
  chainHash,
  computeFeedbackLeafV1,
  computeSealHash,
  deserializeAssetV1,
  DOMAIN_FEEDBACK,
  IdentityInstructionBuilder,
  MAINNET_AGENT_REGISTRY_PROGRAM_ID as REGISTRY,
  PDAHelpers,
  ReputationInstructionBuilder,
  RootConfig,
} from '../../peers/agent-registry.ts';

const SEED = 3;
const URI = 'https://ipfs.io/ipfs/bafkreiagent';
const SAID = {
  value: -9_977n,
  valueDecimals: 2,
  score: 87,
  tag1: 'starred',
  tag2: 'day',
  endpoint: '',
  feedbackUri: 'https://ipfs.io/ipfs/bafkreifeedback',
  feedbackFileHash: Buffer.alloc(32, 5),
};

function aRegistry() {
  const clock = createVirtualClock(1_800_000_000_000);
  const { programs, accounts } = registryFounding();
  const chain = openSolanaChain({
    clock,
    seed: SEED,
    folder: null,
    genesis: [...faucetGenesis(SEED), ...accounts],
    programs,
  });
  const faucet = createSolanaFaucet(chain, SEED);
  const aPayer = (): Keypair => {
    const keypair = Keypair.generate();
    faucet.giveLamports(address(keypair.publicKey.toBase58()), 1_000_000_000n);
    return keypair;
  };
  const dataOf = (key: PublicKey) => Buffer.from(chain.account(key.toBase58())?.data ?? []);
  const run = (instruction: TransactionInstruction, signers: readonly [Keypair, ...Keypair[]]) => {
    const message = new TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash: chain.time.latestBlockhash('processed').blockhash,
      instructions: [instruction],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    return chain.execute(readWireTransaction(transaction.serialize()));
  };
  const [rootConfig] = PDAHelpers.getRootConfigPDA(REGISTRY);
  const collection = RootConfig.deserialize(dataOf(rootConfig)).getBaseCollectionPublicKey();
  const identity = new IdentityInstructionBuilder(REGISTRY);
  const reputation = new ReputationInstructionBuilder(REGISTRY);
  const register = (owner: Keypair, asset: Keypair): Executed =>
    run(
      identity.buildRegisterWithOptions(
        rootConfig,
        PDAHelpers.getRegistryConfigPDA(collection, REGISTRY)[0],
        PDAHelpers.getAgentPDA(asset.publicKey, REGISTRY)[0],
        asset.publicKey,
        collection,
        owner.publicKey,
        URI,
        false,
      ),
      [owner, asset],
    );
  const rate = (client: Keypair, asset: PublicKey, said: typeof SAID): Executed =>
    run(
      reputation.buildGiveFeedback(
        client.publicKey,
        PDAHelpers.getAgentPDA(asset, REGISTRY)[0],
        asset,
        collection,
        null,
        null,
        null,
        said.value,
        said.valueDecimals,
        said.score,
        said.feedbackFileHash,
        0n,
        said.tag1,
        said.tag2,
        said.endpoint,
        said.feedbackUri,
      ),
      [client],
    );
  const agent = (asset: PublicKey) =>
    AgentAccount.deserialize(dataOf(PDAHelpers.getAgentPDA(asset, REGISTRY)[0]));
  return { chain, collection, aPayer, register, rate, agent, dataOf };
}

function errorOf(executed: Executed): unknown {
  const error = executed.kind === 'landed' ? executed.transaction.error : executed.error;
  return JSON.parse(JSON.stringify(error));
}

describe('the agent registry', () => {
  it("takes the registry's own instruction, and its packages read entry and asset", () => {
    const { aPayer, register, agent, dataOf, collection } = aRegistry();
    const [owner, asset] = [aPayer(), Keypair.generate()];
    expect(errorOf(register(owner, asset))).toBeNull();
    const entry = agent(asset.publicKey);
    expect([
      entry.agent_uri,
      entry.getOwnerPublicKey().toBase58(),
      entry.getCollectionPublicKey().toBase58(),
      String(entry.feedback_count),
    ]).toEqual([URI, owner.publicKey.toBase58(), collection.toBase58(), '0']);
    const key = asset.publicKey.toBase58();
    const read = deserializeAssetV1({
      publicKey: key,
      data: new Uint8Array(dataOf(asset.publicKey)),
      owner: 'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d',
      executable: false,
      lamports: { basisPoints: 0n, identifier: 'SOL', decimals: 9 },
    } as unknown as Parameters<typeof deserializeAssetV1>[0]);
    expect([read.owner, read.uri, read.updateAuthority.address]).toEqual([
      owner.publicKey.toBase58(),
      URI,
      collection.toBase58(),
    ]);
  });

  it('chains feedback exactly as the package works it out', () => {
    const { aPayer, register, rate, agent, chain } = aRegistry();
    const [owner, client, asset] = [aPayer(), aPayer(), Keypair.generate()];
    register(owner, asset);
    let digest = Buffer.alloc(32);
    for (const [index, said] of [SAID, { ...SAID, value: 1n, tag1: '' }].entries()) {
      expect(errorOf(rate(client, asset.publicKey, said))).toBeNull();
      const leaf = computeFeedbackLeafV1(
        asset.publicKey.toBuffer(),
        client.publicKey.toBuffer(),
        index,
        computeSealHash(said),
        BigInt(chain.time.slot()),
      );
      digest = Buffer.from(chainHash(digest, DOMAIN_FEEDBACK, leaf));
    }
    const entry = agent(asset.publicKey);
    expect([Buffer.from(entry.feedback_digest), String(entry.feedback_count)]).toEqual([
      digest,
      '2',
    ]);
  });

  it('refuses feedback of an owner, and an asset that is taken', () => {
    const { aPayer, register, rate } = aRegistry();
    const [owner, asset] = [aPayer(), Keypair.generate()];
    register(owner, asset);
    expect([
      errorOf(rate(owner, asset.publicKey, SAID)),
      errorOf(register(aPayer(), asset)),
    ]).toEqual([
      { InstructionError: [0, { Custom: 6002 }] },
      { InstructionError: [0, { Custom: 0 }] },
    ]);
  });
});
