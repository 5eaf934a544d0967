import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import { LAUNCH } from '../../../config/limits/launches.ts';
import type { LaunchMessages, TokenLaunch } from '../../ports/solana.ts';

/** Programs and accounts of the launch platform (web3.md section 4). */
const LAUNCH_PROGRAM = new PublicKey('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
const MAYHEM_PROGRAM = new PublicKey('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e');
/** The network's (web3.md section 8.2). */
const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const ASSOCIATED_TOKEN = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** Of `create_v2` (the published interface, @pump-fun/pump-sdk 2.0.0, src/idl/pump.json). */
const CREATE_V2 = Buffer.from('d6904cec5f8b31b4', 'hex');

/** Makes messages of launches. */
export const launchMessages: LaunchMessages = {
  curveOf: (mint) => curveOf(new PublicKey(mint)).toBase58(),
  create(launch, blockhash) {
    const message = new TransactionMessage({
      payerKey: new PublicKey(launch.user),
      recentBlockhash: blockhash ?? PublicKey.default.toBase58(),
      instructions: [
        ComputeBudgetProgram.setComputeUnitLimit({ units: LAUNCH.computeUnitsMaximum }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: LAUNCH.microLamportsPerUnit }),
        createInstruction(launch),
      ],
    }).compileToV0Message();
    return Buffer.from(message.serialize()).toString('base64');
  },
};

/**
 * Returns the instruction that makes a token: its mint with metadata, its curve, and all of its
 * supply in it. In the platform's plainest form: paid in SOL, without mayhem, cashback, own fee or
 * reward of holders.
 */
export function createInstruction({
  user,
  mint,
  name,
  symbol,
  uri,
}: TokenLaunch): TransactionInstruction {
  const [owner, token] = [new PublicKey(user), new PublicKey(mint)];
  const curve = curveOf(token);
  const vault = derived(MAYHEM_PROGRAM, 'sol-vault');
  const accounts: readonly (readonly [PublicKey, 'reads' | 'writes' | 'signs'])[] = [
    [token, 'signs'],
    [derived(LAUNCH_PROGRAM, 'mint-authority'), 'reads'],
    [curve, 'writes'],
    [accountOf(curve, token), 'writes'],
    [derived(LAUNCH_PROGRAM, 'global'), 'reads'],
    [owner, 'signs'],
    [SystemProgram.programId, 'reads'],
    [TOKEN_2022, 'reads'],
    [ASSOCIATED_TOKEN, 'reads'],
    [MAYHEM_PROGRAM, 'writes'],
    [derived(MAYHEM_PROGRAM, 'global-params'), 'reads'],
    [vault, 'writes'],
    [derived(MAYHEM_PROGRAM, 'mayhem-state', token), 'writes'],
    [accountOf(vault, token), 'writes'],
    [derived(LAUNCH_PROGRAM, '__event_authority'), 'reads'],
    [LAUNCH_PROGRAM, 'reads'],
  ];
  return new TransactionInstruction({
    programId: LAUNCH_PROGRAM,
    keys: accounts.map(([pubkey, does]) => ({
      pubkey,
      isSigner: does === 'signs',
      isWritable: does !== 'reads',
    })),
    data: Buffer.concat([
      CREATE_V2,
      ...[name, symbol, uri].map(borshText),
      owner.toBuffer(),
      // no mayhem, no cashback, no fee of the creator's own (8 bytes), no reward of holders
      Buffer.alloc(1 + 1 + 8 + 1),
    ]),
  });
}

function borshText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function curveOf(mint: PublicKey): PublicKey {
  return derived(LAUNCH_PROGRAM, 'bonding-curve', mint);
}

function derived(program: PublicKey, name: string, of?: PublicKey): PublicKey {
  const seeds = [Buffer.from(name), ...(of === undefined ? [] : [of.toBuffer()])];
  return PublicKey.findProgramAddressSync(seeds, program)[0];
}

/** The one account of a token that belongs to an owner by rule, of the newer token program. */
function accountOf(owner: PublicKey, mint: PublicKey): PublicKey {
  const seeds = [owner.toBuffer(), TOKEN_2022.toBuffer(), mint.toBuffer()];
  return PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN)[0];
}
