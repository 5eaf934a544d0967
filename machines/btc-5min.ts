import { AGENT } from '../config/limits.ts';
import { agentMachine, type AgentMachine } from './agent.ts';

/** The BTC 5-minute agent: the agent machine with the patience of a five-minute round. */
export const btc5MinMachine: AgentMachine = agentMachine.provide({
  delays: { retry: AGENT.retryAfter5MinMs },
});
