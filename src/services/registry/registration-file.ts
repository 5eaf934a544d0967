import type { AgentId } from '../../domain/ids.ts';

/** A service an agent is reached by, in the registry's words. */
interface AgentService {
  readonly type: 'MCP' | 'A2A' | 'ENS' | 'SNS' | 'DID' | 'wallet' | 'OASF';
  readonly value: string;
}

/** The newest link of an agent's receipts in the journal's chain. */
export interface ReceiptsHead {
  readonly decisionId: string;
  readonly seq: number;
  readonly hash: string;
  readonly atMs: number;
}

/** What an entry says. */
export interface Registration {
  readonly agentId: AgentId;
  readonly name: string;
  readonly description: string;
  readonly imageUri: string | null;
  readonly services: readonly AgentService[];
  readonly skills: readonly string[];
  readonly domains: readonly string[];
  /** Null for an agent that has decided nothing yet. */
  readonly head: ReceiptsHead | null;
}

/**
 * Returns the file of an entry as the registry's package builds it (`buildRegistrationFileJson`,
 * 8004-solana 0.8.3), and beside that the evidence: what the agent decided cannot be rewritten
 * without a journal whose chain no longer leads to this hash.
 */
export function registrationFile({
  agentId,
  name,
  description,
  imageUri,
  services,
  skills,
  domains,
  head,
}: Registration): Record<string, unknown> {
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name,
    description,
    ...(imageUri === null ? {} : { image: imageUri }),
    services: services.map(({ type, value }) => ({
      name: type,
      endpoint: value,
      ...(type === 'OASF' && skills.length > 0 ? { skills } : {}),
      ...(type === 'OASF' && domains.length > 0 ? { domains } : {}),
    })),
    active: true,
    x402Support: false,
    evidence: { kind: 'decision_receipts', agent: agentId, head },
  };
}
