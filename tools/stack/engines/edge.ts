import { existsSync } from 'node:fs';
import { inheritedEnv } from '../../clock/inherited-env.ts';
import { edgeBinary } from '../install/prepare/prepare-edge.ts';
import { type Engine, StackError, answersOk, launchEngine } from '#tooling/stack';

export type EdgeOptions = {
  readonly directory: string;
  readonly port: number;
  /** Environment variables of Edge, with UPSTREAM_URL and TOKENS. It learns the tokens of its SDKs from their requests. */
  readonly settings: Readonly<Record<string, string>>;
};

const QUIET_SETTINGS = {
  // Longer than any test, so that it sends only when it stops: Edge forgets counts that arrive while it sends.
  METRICS_INTERVAL_SECONDS: '3600',
  // Edge repeats what is not answered by then, and Unleash counts that twice.
  UPSTREAM_REQUEST_TIMEOUT: '60',
  UPSTREAM_SOCKET_TIMEOUT: '60',
};

/** A real Unleash Edge. It sends its metrics when it is stopped, unless its settings say more. */
export async function startEdge({ directory, port, settings }: EdgeOptions): Promise<Engine> {
  if (!existsSync(edgeBinary)) throw new StackError('not-installed', 'Edge was not built: prepareEdge');
  const address = `http://127.0.0.1:${port}`;
  return launchEngine({
    name: 'edge',
    title: 'Edge',
    address,
    directory,
    command: edgeBinary,
    args: ['--port', String(port), '--interface', '127.0.0.1', 'edge'],
    options: { env: { ...inheritedEnv(), ...QUIET_SETTINGS, ...settings } },
    mark: `--port ${port} `,
    isReady: () => answersOk(`${address}/internal-backstage/ready`),
    stopSignal: 'SIGTERM',
  });
}
