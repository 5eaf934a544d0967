import { address, type EncodedAccount } from '@solana/kit';
import { programAccount } from '../chains/solana/program-account.ts';
import launch from './programs/launch.json' with { type: 'json' };

/** Where the launch platform's program is on the main network (web3.md section 4). */
const LAUNCH_PROGRAM = address('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');

/** Returns the launch platform's program, as far as the sandbox plays it. */
export function launchProgram(): EncodedAccount {
  return programAccount(LAUNCH_PROGRAM, launch);
}
