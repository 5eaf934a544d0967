import { AGENT_PROFILES } from '../../domain/agent.ts';
import type { AgentId } from '../../domain/ids.ts';
import { sentence, words } from './text.ts';

/** Returns the one name of an agent on all pages; of one that is not known here its id as words. */
export function agentName(agentId: string): string {
  // an id of another build has no profile here
  const profile = AGENT_PROFILES[agentId as AgentId] as { readonly title: string } | undefined;
  return sentence(words(profile?.title ?? agentId));
}

/** What is known of who placed an order. */
interface Placer {
  readonly agent: string | null;
  readonly keyId: string | null;
}

/** An API key of the person; a deleted one is in no list. */
interface NamedKey {
  readonly keyId: string;
  readonly name: string;
}

/**
 * Returns who placed an order: an agent, or an API key, by its name, or its person by hand. A
 * payout that no request of theirs asked for was made by the service; theirs have a key of their
 * own, under which a request is repeated.
 */
export function placedBy(
  {
    origin: { agent, keyId },
    isRedemption,
    clientOrderId,
  }: {
    readonly origin: Placer;
    readonly isRedemption: boolean;
    readonly clientOrderId: string | null;
  },
  keys: readonly NamedKey[],
): string {
  if (agent !== null) return agentName(agent);
  if (keyId !== null) return `by ${keys.find((key) => key.keyId === keyId)?.name ?? 'an API key'}`;
  return isRedemption && clientOrderId === null ? 'automatic' : 'by hand';
}
