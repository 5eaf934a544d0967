import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** Folders that hold no text of this repository: installed, compiled, or written by a run. */
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage']);

/** Returns the paths of all READMEs of the repository, from its root, sorted. */
export function readmePaths(folder = ''): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return NOT_OURS.has(entry.name) || entry.name.startsWith('.') ? [] : readmePaths(path);
      return entry.name === 'README.md' ? [path] : [];
    })
    .sort();
}

/** Returns the targets of all links in a Markdown text, as written. Code is left out. */
export function linksOf(markdown: string): readonly string[] {
  return [
    ...withoutFences(markdown)
      .join('\n')
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map((match) => match[1] ?? '');
}

/**
 * Returns the anchors a page of GitHub gives the headings of a Markdown text; the second of the
 * same name ends in `-1`.
 */
export function anchorsOf(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return withoutFences(markdown)
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => {
      const slug = line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    });
}

/** Returns the lines of a Markdown text that are neither code nor rows of a table. */
export function proseOf(markdown: string): readonly string[] {
  return withoutFences(markdown).filter((line) => !line.startsWith('|'));
}

function withoutFences(markdown: string): readonly string[] {
  let isCode = false;
  return markdown.split('\n').filter((line) => {
    if (!line.startsWith('```')) return !isCode;
    isCode = !isCode;
    return false;
  });
}
