import { AGENT } from '../config/limits.ts';
import { agentMachine, type AgentMachine } from './agent.ts';

/**
 * The ETH, BTC and SOL 15-minute agents: the agent machine with the patience of a fifteen-minute
 * round.
 */
export const fifteenMinMachine: AgentMachine = agentMachine.provide({
  delays: { retry: AGENT.retryAfter15MinMs },
});
