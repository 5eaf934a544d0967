import type { Route } from './route.ts';

/** A path's rows by method, and the parameters found in it. */
export interface RouteMatch {
  readonly routes: ReadonlyMap<Route['method'], Route>;
  readonly params: Readonly<Record<string, string>>;
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | null;
  readonly routes: Map<Route['method'], Route>;
}

/**
 * Finds rows by path, with or without a trailing slash. Fixed parts win over parameters. Parameters
 * are percent-decoded; a path that cannot be decoded, or holds an empty part, matches nothing.
 */
export function createRouter(routes: readonly Route[]): (path: string) => RouteMatch | null {
  const root = node();
  for (const route of routes) insert(root, route);
  return (path) => {
    const parts = partsOf(path);
    if (parts === null) return null;
    const found = walk(root, parts, 0);
    if (found === null) return null;
    const [first] = found.routes.values();
    return first === undefined ? null : { routes: found.routes, params: paramsOf(first, parts) };
  };
}

function node(): Node {
  return { fixed: new Map(), parameter: null, routes: new Map() };
}

function insert(root: Node, route: Route): void {
  let at = root;
  for (const part of partsOf(route.path) ?? []) {
    if (part.startsWith(':')) {
      at.parameter ??= node();
      at = at.parameter;
      continue;
    }
    const next = at.fixed.get(part) ?? node();
    at.fixed.set(part, next);
    at = next;
  }
  if (at.routes.has(route.method)) throw new Error(`two rows for ${route.method} ${route.path}`);
  at.routes.set(route.method, route);
}

function walk(from: Node, parts: readonly string[], index: number): Node | null {
  const part = parts[index];
  if (part === undefined) return from.routes.size > 0 ? from : null;
  const fixed = from.fixed.get(part);
  const found = fixed === undefined ? null : walk(fixed, parts, index + 1);
  if (found !== null || from.parameter === null) return found;
  return walk(from.parameter, parts, index + 1);
}

function partsOf(path: string): readonly string[] | null {
  const trimmed = path.replace(/\/$/, '');
  if (trimmed === '') return [];
  const parts = trimmed.slice(1).split('/');
  try {
    const decoded = parts.map((part) => decodeURIComponent(part));
    return decoded.some((part) => part === '') ? null : decoded;
  } catch {
    return null;
  }
}

function paramsOf(route: Route, parts: readonly string[]): Readonly<Record<string, string>> {
  const names = route.path.replace(/\/$/, '').slice(1).split('/');
  return Object.fromEntries(
    names.flatMap((name, index) =>
      name.startsWith(':') ? [[name.slice(1), parts[index] ?? '']] : [],
    ),
  );
}
