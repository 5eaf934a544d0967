import { createHash } from 'node:crypto';
import {
  assert,
  bigInt,
  constant,
  integer,
  property,
  record,
  string,
  uint8Array,
  oneof,
} from 'fast-check';
import { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  feedbackInstruction,
  registerInstruction,
  registryMessages,
} from '../../../src/adapters/solana/registry-messages.ts';
import { registrationFile } from '../../../src/services/registry/registration-file.ts';
import {
  buildRegistrationFileJson,
  getAtomConfigPDA,
  getAtomStatsPDA,
  IdentityInstructionBuilder,
  MAINNET_AGENT_REGISTRY_PROGRAM_ID as REGISTRY,
  MAINNET_ATOM_ENGINE_PROGRAM_ID as ATOM,
  PDAHelpers,
  ReputationInstructionBuilder,
  type ServiceType,
} from '../../peers/agent-registry.ts';

const key = uint8Array({ minLength: 32, maxLength: 32 }).map((seed) =>
  Keypair.fromSeed(seed).publicKey.toBase58(),
);
const text = (maximumBytes: number) =>
  string({ unit: 'grapheme' }).filter((each) => Buffer.byteLength(each) <= maximumBytes);
const I128 = 2n ** 127n;

/** An instruction as plain values. */
function plain({ programId, keys, data }: ReturnType<typeof registerInstruction>) {
  return {
    program: programId.toBase58(),
    data: Buffer.from(data).toString('hex'),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => [
      pubkey.toBase58(),
      isSigner,
      isWritable,
    ]),
  };
}

describe('our instructions to the agent registry', () => {
  it("are byte for byte those of the registry's own package: an entry", () => {
    const theirs = new IdentityInstructionBuilder(REGISTRY);
    assert(
      property(key, key, key, text(250), (user, asset, collection, uri) => {
        const [owner, entry, group] = [user, asset, collection].map(
          (each) => new PublicKey(each),
        ) as [PublicKey, PublicKey, PublicKey]; // three in, three out
        expect(plain(registerInstruction({ user, asset, collection, uri }))).toEqual(
          plain(
            theirs.buildRegisterWithOptions(
              PDAHelpers.getRootConfigPDA(REGISTRY)[0],
              PDAHelpers.getRegistryConfigPDA(group, REGISTRY)[0],
              PDAHelpers.getAgentPDA(entry, REGISTRY)[0],
              entry,
              group,
              owner,
              uri,
              false,
            ),
          ),
        );
        expect(registryMessages.agentAddress(asset)).toBe(
          PDAHelpers.getAgentPDA(entry, REGISTRY)[0].toBase58(),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("are byte for byte those of the registry's own package: feedback", () => {
    const theirs = new ReputationInstructionBuilder(REGISTRY, ATOM);
    const said = record({
      user: key,
      asset: key,
      collection: key,
      value: bigInt({ min: -I128, max: I128 - 1n }),
      valueDecimals: integer({ min: 0, max: 18 }),
      score: oneof(constant(null), integer({ min: 0, max: 100 })),
      tag1: text(32),
      tag2: text(32),
      endpoint: text(250),
      fileUri: text(250),
      file: oneof(constant(null), uint8Array()),
    });
    assert(
      property(said, (each) => {
        const asset = new PublicKey(each.asset);
        expect(plain(feedbackInstruction(each))).toEqual(
          plain(
            theirs.buildGiveFeedback(
              new PublicKey(each.user),
              PDAHelpers.getAgentPDA(asset, REGISTRY)[0],
              asset,
              new PublicKey(each.collection),
              getAtomConfigPDA(ATOM)[0],
              getAtomStatsPDA(asset, ATOM)[0],
              PDAHelpers.getAtomCpiAuthorityPDA(REGISTRY)[0],
              each.value,
              each.valueDecimals,
              each.score,
              each.file === null ? null : createHash('sha256').update(each.file).digest(),
              0n,
              each.tag1,
              each.tag2,
              each.endpoint,
              each.fileUri,
            ),
          ),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('point to a file as the package builds it, with the head of the receipts beside', () => {
    const services = [{ type: 'MCP' as const, value: 'https://agents.example.com/mcp' }];
    const said = { name: 'BTC', description: 'Five minutes.' };
    const { evidence, ...file } = registrationFile({
      ...said,
      services,
      agentId: 'btc_5min',
      imageUri: 'https://ipfs.io/ipfs/bafkrei',
      skills: [],
      domains: [],
      head: { decisionId: 'dec_1', seq: 7, hash: 'ab', atMs: 1 },
    });
    expect(file).toEqual(
      buildRegistrationFileJson({
        ...said,
        image: 'https://ipfs.io/ipfs/bafkrei',
        // the package's enumeration holds these words
        services: services.map(({ value }) => ({ type: 'MCP' as ServiceType, value })),
      }),
    );
    expect(evidence).toEqual({
      kind: 'decision_receipts',
      agent: 'btc_5min',
      head: { decisionId: 'dec_1', seq: 7, hash: 'ab', atMs: 1 },
    });
  });
});
