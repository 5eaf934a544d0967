import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A message of JSON-RPC as far as a bridge must understand it. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The longest that a server is waited for: twice what its slowest call takes. */
const ANSWER_WITHIN_MS = 60_000;

/** What an API key is made of; anything else cannot be sent in a header. */
const KEY = /^[\x21-\x7e]{1,256}$/;

const VERSION = 'io.modelcontextprotocol/protocolVersion';
/**
 * Code of answers the bridge gives itself: the server was not reached, or refused the key (mcp.md
 * section 2).
 */
const NOT_REACHED = -32_000;

/**
 * Speaks MCP over standard input and output for a client that can do no other, and passes each
 * message on to a server: both generations, one message a line. Resolves when the input has ended
 * and every answer was written.
 */
export async function bridge({
  input,
  output,
  url,
  key,
}: {
  readonly input: Readable;
  readonly output: Writable;
  /** Of the server's `/mcp`. */
  readonly url: string;
  /** The API key; it goes into the header, and nowhere else. */
  readonly key: string;
}): Promise<void> {
  const state: { version: string | null } = { version: null };
  const running = new Set<Promise<void>>();
  const write = (line: string) => void output.write(`${line}\n`);
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const passed = pass(line, { url, key, state, write });
    running.add(passed);
    void passed.finally(() => running.delete(passed));
    // the versions are settled before anything else is asked
    if (isOpening(line)) await passed;
  }
  await Promise.all(running);
}

function isOpening(line: string): boolean {
  return messageIn(line)?.method === 'initialize';
}

interface Passing {
  readonly url: string;
  readonly key: string;
  readonly state: { version: string | null };
  readonly write: (line: string) => void;
}

async function pass(line: string, { url, key, state, write }: Passing): Promise<void> {
  const message = messageIn(line);
  if (!KEY.test(key)) {
    // nothing of it is shown: it may be a good key with a line break in it
    if (message?.id !== undefined)
      write(refusal(message.id, 'the API key holds characters no key has: copy it anew'));
    return;
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headersOf(message, state.version), authorization: `Bearer ${key}` },
      body: line,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    for (const answer of answersIn(response, text)) {
      if (message?.method === 'initialize') state.version = versionIn(answer) ?? state.version;
      write(named(answer, message));
    }
  } catch (error) {
    if (message?.id !== undefined)
      write(refusal(message.id, `the server at ${url} was not reached: ${String(error)}`));
  }
}

/**
 * Headers of Streamable HTTP; newer messages say in themselves what these say (mcp.md section 2).
 */
function headersOf(message: Message | null, settled: string | null): Record<string, string> {
  const meta = Object(message?.params?.['_meta'])[VERSION] as unknown;
  const version = typeof meta === 'string' ? meta : settled;
  const name = message?.params?.['name'] ?? message?.params?.['uri'];
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
    ...(typeof meta === 'string' && message?.method !== undefined
      ? { 'mcp-method': message.method }
      : {}),
    ...(typeof meta === 'string' && typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

/** A header holds visible ASCII; anything else goes as base64. */
function encoded(name: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name)
    ? name
    : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** The messages of an answer: one of JSON, those of an event stream, or none. */
function answersIn(response: Response, text: string): readonly string[] {
  if (text.trim() === '') return [];
  if (!(response.headers.get('content-type') ?? '').includes('text/event-stream')) return [text];
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .flatMap((each) => (each.startsWith('data:') ? [each.slice(5).trimStart()] : []))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

/**
 * One line; a refusal at the gate names no message, and is the answer to the one that was passed
 * on.
 */
function named(answer: string, message: Message | null): string {
  const read = parsed(answer);
  if (typeof read !== 'object' || read === null)
    return refusal(message?.id ?? null, 'the server answered no JSON');
  const isNameless = 'error' in read && 'id' in read && read.id === null;
  if (!('jsonrpc' in read)) return refusal(message?.id ?? null, String(Object(read).detail));
  return JSON.stringify(isNameless ? { ...read, id: message?.id ?? null } : read);
}

function refusal(id: string | number | null, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: NOT_REACHED, message } });
}

function versionIn(answer: string): string | null {
  const version = Object(Object(parsed(answer)).result).protocolVersion as unknown;
  return typeof version === 'string' ? version : null;
}

function messageIn(line: string): Message | null {
  const read = parsed(line);
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
