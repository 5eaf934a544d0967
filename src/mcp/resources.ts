import {
  ResourceNotFoundError,
  ResourceTemplate,
  type CallToolResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { Route } from '../http/route.ts';
import type { KeyAccess } from './backend.ts';
import { prepareTools, type PreparedTool } from './prepared-tools.ts';
import type { Resource } from './resource-table.ts';
import type { Given } from './arguments.ts';

/** A resource with what was derived from its route. */
export interface PreparedResource extends PreparedTool {
  readonly uri: string;
}

/** Derives every resource from the one route table. */
export function prepareResources(
  resources: readonly Resource[],
  routes: readonly Route[],
): readonly PreparedResource[] {
  return prepareTools(resources, routes).map((tool, index) => ({
    ...tool,
    uri: resources[index]?.uri ?? '',
  }));
}

/** Returns the resources a key may read: a key that names its tools has none. */
export function resourcesFor(
  all: readonly PreparedResource[],
  { scopes, tools }: Pick<KeyAccess, 'scopes' | 'tools'>,
): readonly PreparedResource[] {
  return tools === null ? all.filter(({ scope }) => scopes.includes(scope)) : [];
}

/** Offers resources; each is read by the call of its route. */
export function registerResources(
  server: McpServer,
  resources: readonly PreparedResource[],
  read: (resource: PreparedResource, given: Given) => Promise<CallToolResult>,
): void {
  for (const resource of resources) {
    const { name, title, description, uri } = resource;
    const about = { title, description, mimeType: 'application/json' };
    const answer = async (asked: URL, given: Given) =>
      contentsOf(asked, await read(resource, given));
    if (uri.includes('{'))
      server.registerResource(
        name,
        new ResourceTemplate(uri, { list: undefined }),
        about,
        (asked, variables) => answer(asked, variables as Given),
      );
    else server.registerResource(name, uri, about, (asked) => answer(asked, {}));
  }
}

/** A refusal is an error here: resources have no other way to say it. Its words are ours. */
function contentsOf(asked: URL, { content, isError }: CallToolResult) {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (isError === true && text.startsWith('not_found:'))
    throw new ResourceNotFoundError(asked.href, text);
  if (isError === true) throw new Error(text);
  return { contents: [{ uri: asked.href, mimeType: 'application/json', text }] };
}
