import { AGENT_PROFILES } from '../../domain/agent.ts';
import type { AgentId } from '../../domain/ids.ts';
import { words } from './text.ts';

/** Returns the one name of an agent on all pages; of one that is not known here its id as words. */
export function agentName(agentId: string): string {
  // an id of another build has no profile here
  const profile = AGENT_PROFILES[agentId as AgentId] as { readonly title: string } | undefined;
  return words(profile?.title ?? agentId);
}

/** Returns who placed an order: an agent by its name, or its person by hand. */
export function placedBy(agentId: string | null): string {
  return agentId === null ? 'by hand' : agentName(agentId);
}
