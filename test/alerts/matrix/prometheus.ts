import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** An alert as Prometheus shows it. */
export interface ShownAlert {
  readonly name: string;
  readonly isFiring: boolean;
  readonly runbookUrl: string;
}

/** A Prometheus that judges one daemon. */
export interface Prometheus {
  readonly url: string;
  /** Alerts that fire or are about to, the watchdog apart. */
  alerts(): Promise<readonly ShownAlert[]>;
  stop(): Promise<void>;
}

/** True where Prometheus is installed. Prints one line where it is not. */
export function hasPrometheus(): boolean {
  const isThere = spawnSync('prometheus', ['--version']).status === 0;
  if (!isThere)
    console.info(
      'not run, because prometheus (Debian package prometheus) is not installed: no fault is seen to raise its alert here',
    );
  return isThere;
}

/** Starts Prometheus over a target, scraping and judging every second by these rules. */
export async function startPrometheus({
  folder,
  target,
  rules,
}: {
  readonly folder: string;
  /** Host and port of the metrics. */
  readonly target: string;
  readonly rules: string;
}): Promise<Prometheus> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: predictd
    static_configs: [{ targets: ['${target}'] }]
`,
  );
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) await pause(100);
  return {
    url,
    async alerts() {
      const answer = await fetch(`${url}/api/v1/alerts`);
      // as Prometheus' documentation of its interface has it
      const { data } = (await answer.json()) as {
        readonly data: {
          readonly alerts: readonly {
            readonly labels: { readonly alertname: string };
            readonly annotations: { readonly runbook_url: string };
            readonly state: string;
          }[];
        };
      };
      return data.alerts
        .map(({ labels, annotations, state }) => ({
          name: labels.alertname,
          isFiring: state === 'firing',
          runbookUrl: annotations.runbook_url,
        }))
        .filter(({ name }) => name !== 'PredictdWatchdog');
    },
    stop: () => ended(child),
  };
}

/** Waits so many ms of real time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
