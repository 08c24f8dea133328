import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { run } from '../programs.ts';
import { OPERATOR } from '../versions.ts';
import type { Api } from './api.ts';
import { untilNone } from './until-none.ts';

const GROUP = 'monitoring.coreos.com';
const FILES = 'example/prometheus-operator-crd';

/** Adds ServiceMonitor and PrometheusRule, as the Prometheus Operator defines them, to the server. */
export async function createOperatorKinds(api: Api): Promise<void> {
  const module = `github.com/prometheus-operator/prometheus-operator@v${OPERATOR}`;
  const answer: unknown = JSON.parse(run('go', ['mod', 'download', '-json', module]));
  const { Dir } = answer as { Dir: string }; // the documented answer of go mod download
  for (const kind of ['servicemonitors', 'prometheusrules']) {
    const file = path.join(Dir, FILES, `${GROUP}_${kind}.yaml`);
    const definition: unknown = parse(await readFile(file, 'utf8'));
    await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    // For some seconds the server answers 404, then 429.
    await untilNone(async () => {
      try {
        await api.call('GET', `/apis/${GROUP}/v1/${kind}`);
        return [];
      } catch (error) {
        return [String(error)];
      }
    });
  }
}
