import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MCP } from '../../config/limits/mcp.ts';
import { outsideText } from './untrusted-text.ts';

/**
 * What a person can ask, shown by clients as a ready question. What they fill in is theirs: quoted,
 * and nothing else.
 */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the person fills in, by name. */
  readonly takes: Readonly<Record<string, { readonly text: z.ZodString; readonly about: string }>>;
  /** The question; `filled` has every name that is taken. */
  asks(filled: Readonly<Record<string, string>>): string;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'look_before_trading',
    title: 'Check before trading',
    description: 'What would an order cost, and what speaks for and against it?',
    takes: {
      topic: {
        text: z.string().min(1).max(MCP.outsideTextChars),
        about: 'What the market is about, or its ticker.',
      },
      dollars: {
        text: z.string().regex(/^\d{1,6}(\.\d{1,2})?$/),
        about: 'How much to spend, in USD, such as 25 or 12.50.',
      },
    },
    asks: ({ topic = '', dollars = '' }) =>
      `Find the market about “${outsideText(topic)}”, show me its rules and prices, and get a preview of buying for ${dollars} USD. Tell me its cost, fee and worst price. Do not place the order.`,
  },
  {
    name: 'review_positions',
    title: 'Review my positions',
    description: 'How do my open positions stand?',
    takes: {},
    asks: () =>
      'List my open positions with what each cost, what it is worth now and when its market ends. Say which ones lose most, and what closing them would bring by a preview. Close nothing.',
  },
  {
    name: 'stop_everything',
    title: 'Stop my agents',
    description: 'Stop all agents now, and say what is still open.',
    takes: {},
    asks: () =>
      'Stop all my agents now. Then list what is still open: orders and positions. Change nothing else.',
  },
];

/** Offers the questions. Errors: those of the protocol, for unknown ones and wrong arguments. */
export function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ name, title, description, takes }) => ({
      name,
      title,
      description,
      arguments: Object.entries(takes).map(([argument, { about }]) => ({
        name: argument,
        description: about,
        required: true,
      })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = PROMPTS.find((each) => each.name === name);
    if (prompt === undefined) throw refused('not found: there is no such prompt');
    for (const [argument, { text, about }] of Object.entries(prompt.takes))
      if (!text.safeParse(given[argument]).success) throw refused(`${argument}: ${about}`);
    const text = prompt.asks(given);
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
