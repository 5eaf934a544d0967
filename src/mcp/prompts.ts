import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MCP } from '../../config/limits/mcp.ts';
import { outsideText } from './untrusted-text.ts';

/**
 * What a person can ask, shown by clients as ready questions. What they fill in is theirs: quoted,
 * and nothing else.
 */
export function registerPrompts(server: McpServer): void {
  const asked = (text: string) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  });
  server.registerPrompt(
    'look_before_trading',
    {
      title: 'Look before trading',
      description: 'What would an order cost, and what speaks for and against it?',
      argsSchema: z.object({
        topic: z
          .string()
          .min(1)
          .max(MCP.outsideTextChars)
          .describe('What the market is about, or its ticker.'),
        dollars: z
          .string()
          .regex(/^\d{1,6}(\.\d{1,2})?$/, 'an amount in USD')
          .describe('How much to spend, in USD.'),
      }),
    },
    ({ topic, dollars }) =>
      asked(
        `Find the market about “${outsideText(topic)}”, show me its rules and prices, and get a preview of buying for ${dollars} USD. Tell me its cost, fee and worst price. Do not place the order.`,
      ),
  );
  server.registerPrompt(
    'review_positions',
    {
      title: 'Review my positions',
      description: 'How do my open positions stand?',
    },
    () =>
      asked(
        'List my open positions with what each cost, what it is worth now and when its market ends. Say which ones lose most, and what closing them would bring by a preview. Close nothing.',
      ),
  );
  server.registerPrompt(
    'stop_everything',
    {
      title: 'Stop my agents',
      description: 'Stop all agents now, and say what is still open.',
    },
    () =>
      asked(
        'Stop all my agents now. Then list what is still open: orders and positions. Change nothing else.',
      ),
  );
}
