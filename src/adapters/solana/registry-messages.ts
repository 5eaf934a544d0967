import { createHash } from 'node:crypto';
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import { REGISTRY } from '../../../config/limits/launches.ts';
import type { AgentEntry, AgentFeedback, RegistryMessages } from '../../ports/solana.ts';

/** Programs of the agent registry on the main network (web3.md section 5). */
const REGISTRY_PROGRAM = new PublicKey('8oo4dC4JvBLwy5tGgiH3WwK4B9PWxL9Z4XjA2jzkQMbQ');
const ATOM_PROGRAM = new PublicKey('AToMw53aiPQ8j7iHVb4fGt6nzUNxUhcPc3tbPBZuzVVb');
const CORE_PROGRAM = new PublicKey('CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d');
/** Discriminators (8004-solana 0.8.3, core/instruction-discriminators). */
const REGISTER_WITH_OPTIONS = Buffer.of(177, 175, 96, 41, 59, 166, 13, 6);
const GIVE_FEEDBACK = Buffer.of(145, 136, 123, 3, 215, 165, 98, 41);
const ROOT_CONFIG = Buffer.of(42, 216, 8, 82, 19, 209, 223, 246);
const AGENT_ACCOUNT = Buffer.of(241, 119, 69, 140, 233, 9, 112, 50);
/** An entry names collection, creator and owner behind its discriminator. */
const OWNER_AT = 72;
const KEY_BYTES = 32;

/** Makes messages for the agent registry, and reads its accounts. */
export const registryMessages: RegistryMessages = {
  rootAddress: derived(REGISTRY_PROGRAM, 'root_config').toBase58(),
  agentAddress: (asset) => agentOf(new PublicKey(asset)).toBase58(),
  isAddress(text) {
    try {
      return new PublicKey(text).toBase58() === text;
    } catch {
      return false;
    }
  },
  readRoot: ({ program, data }) =>
    isOurs(program, data, ROOT_CONFIG) ? keyAt(data, ROOT_CONFIG.length) : null,
  readAgent: ({ program, data }) =>
    isOurs(program, data, AGENT_ACCOUNT)
      ? { collection: keyAt(data, AGENT_ACCOUNT.length), owner: keyAt(data, OWNER_AT) }
      : null,
  register: (entry, blockhash) => message(entry.user, registerInstruction(entry), blockhash),
  feedback: (said, blockhash) => message(said.user, feedbackInstruction(said), blockhash),
};

/** Returns the instruction that makes an entry; ATOM, which cannot be undone, stays off. */
export function registerInstruction({
  user,
  asset,
  collection,
  uri,
}: AgentEntry): TransactionInstruction {
  const [owner, entry, group] = [user, asset, collection].map((key) => new PublicKey(key)) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ]; // three in, three out
  return new TransactionInstruction({
    programId: REGISTRY_PROGRAM,
    keys: [
      reads(derived(REGISTRY_PROGRAM, 'root_config')),
      reads(derived(REGISTRY_PROGRAM, 'registry_config', group)),
      writes(agentOf(entry)),
      { pubkey: entry, isSigner: true, isWritable: true },
      writes(group),
      { pubkey: owner, isSigner: true, isWritable: true },
      reads(SystemProgram.programId),
      reads(CORE_PROGRAM),
    ],
    data: Buffer.concat([REGISTER_WITH_OPTIONS, borshText(uri), Buffer.of(0)]),
  });
}

/** Returns the instruction that leaves feedback. */
export function feedbackInstruction(said: AgentFeedback): TransactionInstruction {
  const asset = new PublicKey(said.asset);
  return new TransactionInstruction({
    programId: REGISTRY_PROGRAM,
    keys: [
      { pubkey: new PublicKey(said.user), isSigner: true, isWritable: true },
      writes(agentOf(asset)),
      reads(asset),
      reads(new PublicKey(said.collection)),
      reads(SystemProgram.programId),
      reads(derived(ATOM_PROGRAM, 'atom_config')),
      writes(derived(ATOM_PROGRAM, 'atom_stats', asset)),
      reads(ATOM_PROGRAM),
      reads(derived(REGISTRY_PROGRAM, 'atom_cpi_authority')),
    ],
    data: Buffer.concat([
      GIVE_FEEDBACK,
      signed128(said.value),
      Buffer.of(said.valueDecimals),
      said.score === null ? Buffer.of(0) : Buffer.of(1, said.score),
      said.file === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), sha256(said.file)]),
      ...[said.tag1, said.tag2, said.endpoint, said.fileUri].map(borshText),
    ]),
  });
}

function message(
  payer: string,
  instruction: TransactionInstruction,
  blockhash: string | undefined,
): string {
  const compiled = new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: blockhash ?? PublicKey.default.toBase58(),
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: REGISTRY.computeUnitsMaximum }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: REGISTRY.microLamportsPerUnit }),
      instruction,
    ],
  }).compileToV0Message();
  return Buffer.from(compiled.serialize()).toString('base64');
}

function isOurs(program: string, data: Uint8Array, discriminator: Buffer): boolean {
  return (
    program === REGISTRY_PROGRAM.toBase58() &&
    data.length >= OWNER_AT + 1 &&
    discriminator.equals(data.subarray(0, discriminator.length))
  );
}

function keyAt(data: Uint8Array, at: number): string {
  return new PublicKey(data.subarray(at, at + KEY_BYTES)).toBase58();
}

function agentOf(asset: PublicKey): PublicKey {
  return derived(REGISTRY_PROGRAM, 'agent', asset);
}

function derived(program: PublicKey, name: string, of?: PublicKey): PublicKey {
  const seeds = [Buffer.from(name), ...(of === undefined ? [] : [of.toBuffer()])];
  return PublicKey.findProgramAddressSync(seeds, program)[0];
}

function reads(pubkey: PublicKey) {
  return { pubkey, isSigner: false, isWritable: false };
}

function writes(pubkey: PublicKey) {
  return { pubkey, isSigner: false, isWritable: true };
}

function borshText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Sixteen bytes, two's complement, the least first. */
function signed128(value: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  const encoded = BigInt.asUintN(128, value);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, encoded), 0);
  bytes.writeBigUInt64LE(encoded >> 64n, 8);
  return bytes;
}
