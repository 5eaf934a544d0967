import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  UriTemplate,
  type CallToolResult,
  type Server,
} from '@modelcontextprotocol/server';
import type { Route } from '../http/route.ts';
import type { KeyAccess } from './backend.ts';
import { prepareTools, toolsFor, type PreparedTool } from './prepared-tools.ts';
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
  access: Pick<KeyAccess, 'scopes' | 'tools' | 'venues'>,
): readonly PreparedResource[] {
  return access.tools === null ? toolsFor(all, access) : [];
}

/** Offers resources; each is read by the call of its route. */
export function serveResources(
  server: Server,
  resources: readonly PreparedResource[],
  read: (resource: PreparedResource, given: Given) => Promise<CallToolResult>,
): void {
  const shown = ({ name, title, description }: PreparedResource) => ({
    name,
    title,
    description,
    mimeType: 'application/json',
  });
  const isTemplate = ({ uri }: PreparedResource) => UriTemplate.isTemplate(uri);
  server.setRequestHandler('resources/list', () => ({
    resources: resources
      .filter((each) => !isTemplate(each))
      .map((each) => ({ uri: each.uri, ...shown(each) })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resources
      .filter(isTemplate)
      .map((each) => ({ uriTemplate: each.uri, ...shown(each) })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    for (const resource of resources) {
      // a resource without variables is a template of itself
      const variables = new UriTemplate(resource.uri).match(uri);
      // what a template finds is text, a list of it where it says so, and none does
      if (variables !== null)
        return contentsOf(uri, await read(resource, { ...variables } as Given));
    }
    throw new ResourceNotFoundError(uri);
  });
}

/** A refusal is an error here: resources have no other way to say it. Its words are ours. */
function contentsOf(uri: string, { content, isError }: CallToolResult) {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (isError === true && text.startsWith('not_found:')) throw new ResourceNotFoundError(uri, text);
  if (isError === true && text.startsWith('invalid_request:'))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  if (isError === true) throw new Error(text);
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}
