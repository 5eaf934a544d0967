import type { Client } from '@modelcontextprotocol/client';
import { callTool, type Called } from './mcp-client.ts';

/** What an assistant has used, in calls and in tokens of four characters. */
interface Used {
  readonly calls: number;
  readonly tokens: number;
}

/**
 * A client that knows what a model does: the list of tools, the instructions, and what was answered
 * so far.
 */
export interface Assistant {
  /** Rejects for a tool or an argument that is not listed, and for an id that no answer gave it. */
  call(name: string, given?: Record<string, unknown>): Promise<Called>;
  used(): Used;
  /** Calls of each tool, as they were made. */
  readonly log: readonly string[];
}

/** Ids of its own making begin so. */
const OWN_ID = /^mine-/;
/** What no model makes up: ids of markets, orders, quotes, swaps and launches, and cursors. */
const GIVEN_ID = /^(0x[0-9a-f]{20,}|\w{3}_[0-9A-Z]{26}|KX\S+|[0-9a-f]{8}\.\d+)$/;

/** Reads the list of tools; what that costs is counted. */
export async function createAssistant(client: Client, prompt: string): Promise<Assistant> {
  const { tools } = await client.listTools();
  const listed = new Map(tools.map((tool) => [tool.name, tool]));
  const log: string[] = [];
  let heard = `${prompt}\n${client.getInstructions() ?? ''}`;
  let chars = JSON.stringify(tools).length + (client.getInstructions() ?? '').length;
  let calls = 0;
  return {
    log,
    used: () => ({ calls, tokens: Math.ceil(chars / 4) }),
    async call(name, given = {}) {
      const properties = listed.get(name)?.inputSchema.properties;
      if (properties === undefined) throw new Error(`no tool ${name} is listed`);
      for (const [argument, value] of Object.entries(given)) {
        if (!(argument in properties)) throw new Error(`${name} lists no ${argument}`);
        const isId = typeof value === 'string' && !OWN_ID.test(value) && GIVEN_ID.test(value);
        if (isId && !heard.includes(value)) throw new Error(`no answer gave ${value}`);
      }
      const answer = await callTool(client, name, given);
      calls += 1;
      chars += name.length + JSON.stringify(given).length + answer.text.length;
      heard += `\n${answer.text}`;
      log.push(`${name} ${Math.ceil(answer.text.length / 4)}`);
      return answer;
    },
  };
}
