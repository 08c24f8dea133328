import { Command, InvalidArgumentError } from 'commander';
import { type LoadResult, type Progress, runLoad } from '#tooling/traffic';
import { FlagmeterError } from '#base/runtime';

type Environment = { readonly env: NodeJS.ProcessEnv };

type Options = {
  readonly url: string;
  readonly token: string;
  readonly rate: number | 'maximum';
  readonly rows: number;
  readonly features: number;
  readonly apps: number;
  readonly environments: string;
  readonly skew: number;
  readonly connections: number;
  readonly seconds: number;
  readonly timeout: number;
  readonly seed: number;
  readonly json: boolean;
};

/** The token comes from the environment, because every user of the machine can see the arguments of a process. */
export function createLoadCommand({ env }: Environment): Command {
  return new Command()
    .option('--url <url>', 'the URL that receives the batches', toUrl, 'http://127.0.0.1:4242/edge/metrics')
    .option('--rate <requests>', 'requests per second, or "maximum" for as many as possible', rate, 'maximum')
    .option('--rows <count>', 'rows per body', wholeFrom(1), 480)
    .option('--features <count>', 'different features', wholeFrom(1), 1000)
    .option('--apps <count>', 'different applications', wholeFrom(1), 20)
    .option('--environments <names>', 'comma separated; the token must allow them', 'production')
    .option(
      '--skew <exponent>',
      'Zipf exponent of the names; 0 chooses all names equally often',
      numberFrom(0),
      1,
    )
    .option(
      '--connections <count>',
      'number of connections; each simulates a different relay',
      wholeFrom(1),
      16,
    )
    .option('--seconds <seconds>', 'how long', numberFrom(0.1), 10)
    .option('--timeout <seconds>', 'maximum time for an answer', numberFrom(0.1), 30)
    .option('--seed <number>', 'determines names and counts', wholeFrom(0), 1)
    .option('--json', 'print the result as JSON', false)
    .action(async (given: Omit<Options, 'token'>) => {
      const options = { ...given, token: tokenOf(env) };
      const result = await withInterruption((signal) => load(options, signal));
      console.log(options.json ? JSON.stringify(result, undefined, 2) : describe(result));
      if (result.requests.acknowledged < result.requests.sent) process.exitCode = 1;
    });
}

function tokenOf(env: NodeJS.ProcessEnv): string {
  const token = env['FLAGMETER_TOKEN'] ?? '';
  if (token === '')
    throw new FlagmeterError('usage', 'FLAGMETER_TOKEN must hold the secret of a client or admin token');
  return token;
}

/** Lets Ctrl-C end the measurement early, so that its results are still printed. */
async function withInterruption<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (): void => {
    interruption.abort();
  };
  process.once('SIGINT', interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

function load(
  { rows, timeout, environments, ...options }: Options,
  signal: AbortSignal,
): Promise<LoadResult> {
  return runLoad({
    ...options,
    rowsPerBody: rows,
    environments: environments.split(',').map((name) => name.trim()),
    timeoutMs: timeout * 1000,
    onProgress: (progress) => process.stderr.write(progressLine(progress)),
    signal,
  });
}

/** Adds the path of the endpoint if the URL has none. */
function toUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:4242.');
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/edge/metrics';
  return url.toString();
}

function progressLine({ second, requests, rows, p99, failures }: Progress): string {
  return `${second} s  ${shown(requests)} requests/s  ${shown(rows)} rows/s  p99 ${p99.toFixed(1)} ms  ${shown(failures)} failed\n`;
}

function describe(result: LoadResult): string {
  const { mode, seconds, requests, latencyMs, acknowledged, inDoubt, cpu } = result;
  const latencies = Object.entries(latencyMs).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  const failures = [...Object.entries(result.statuses), ...Object.entries(result.errors)]
    .filter(([kind]) => kind !== '202')
    .map(([kind, count]) => `${kind} ${shown(count)}`);
  return [
    `${mode}, ${seconds.toFixed(1)} s, ${result.connections} connections, ${result.rowsPerBody} rows a body`,
    `requests      ${shown(result.requestsPerSecond)} a second; ${shown(requests.sent)} sent, ${shown(requests.acknowledged)} acknowledged, ${shown(requests.notSent)} due but not sent`,
    `rows          ${shown(result.rowsPerSecond)} a second; ${shown(acknowledged.rows)} acknowledged, ${shown(inDoubt.rows)} in doubt`,
    `ledger        yes ${shown(acknowledged.yes)}, no ${shown(acknowledged.no)}, variants ${shown(acknowledged.variants)}`,
    `latency, ms   ${latencies.join(', ')}`,
    `failures      ${failures.join(', ') || 'none'}`,
    `own CPU       ${shown(cpu.ms)} ms, ${cpu.msPer1000Rows.toFixed(2)} ms per 1,000 rows`,
  ].join('\n');
}

function shown(figure: number): string {
  return figure.toLocaleString('en', { maximumFractionDigits: 0 });
}

function rate(text: string): number | 'maximum' {
  return text === 'maximum' ? text : numberFrom(0.01)(text);
}

function wholeFrom(min: number) {
  return (text: string): number => {
    const value = numberFrom(min)(text);
    if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
    return value;
  };
}

function numberFrom(min: number) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= min && Number.isFinite(value)))
      throw new InvalidArgumentError(`It must be a number of at least ${min}.`);
    return value;
  };
}
