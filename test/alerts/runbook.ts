/** Where the runbook is, as alerts and panels link it: a path in the repository, or an address. */
export const RUNBOOK = 'config/prometheus/runbook.md';

/** Returns the anchor of an alert's paragraph. */
export function anchorOf(alert: string): string {
  return alert.toLowerCase();
}

/** Returns the rules with the address of each alert's paragraph, whatever it was before. */
export function withRunbookUrls(rules: string): string {
  const [head = '', ...blocks] = rules.split(/^(?= +- alert: )/m);
  return [
    head,
    ...blocks.map((block) => {
      const name = /- alert: (\w+)/.exec(block)?.[1] ?? '';
      return block
        .replace(/^ +runbook(_url)?: .*\n/m, '')
        .replace(
          /^( +)(description: .*)\n/m,
          (_, indent: string, line: string) =>
            `${indent}${line}\n${indent}runbook_url: '${RUNBOOK}#${anchorOf(name)}'\n`,
        );
    }),
  ].join('');
}
