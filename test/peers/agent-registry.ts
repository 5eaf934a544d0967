// The agent registry's own package, as published, and the reader of the asset program. They are
// installed beside this file, which is where tests find them.
import { createRequire } from 'node:module';
import type * as Core from '@metaplex-foundation/mpl-core';

export {
  AgentAccount,
  buildRegistrationFileJson,
  chainHash,
  computeFeedbackLeafV1,
  computeSealHash,
  DOMAIN_FEEDBACK,
  getAtomConfigPDA,
  getAtomStatsPDA,
  IdentityInstructionBuilder,
  MAINNET_AGENT_REGISTRY_PROGRAM_ID,
  MAINNET_ATOM_ENGINE_PROGRAM_ID,
  PDAHelpers,
  ReputationInstructionBuilder,
  RootConfig,
  type ServiceType,
} from '8004-solana';

const resolve = createRequire(import.meta.url);
const core = resolve('@metaplex-foundation/mpl-core') as typeof Core; // CommonJS, typed by itself

export const { deserializeAssetV1 } = core;
