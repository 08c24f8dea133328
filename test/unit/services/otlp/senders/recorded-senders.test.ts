import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { SIGNALS } from '../../../../../services/ingest/opentelemetry/reading/index.ts';
import { countedOf } from '../../../../support/senders/otlp/otlp-evaluations.ts';

const FOLDER = path.join(import.meta.dirname, '../../../../fixtures/otlp');

/** All senders evaluated the flags `on` (true), `off` (false), `colour` (a text) and, except for old versions, `missing`. */
const SENDERS: Readonly<Record<string, readonly string[]>> = {
  'flagd-core-0.16.1.metrics.bin': [
    'basket yes on static 2',
    'basket no off targeting_match',
    'retired no - disabled',
  ],
  'go-0.3.3.metrics.bin': [
    'on yes yes static',
    'colour yes blue static',
    'off yes no static',
    'missing no - error',
    'limit no - error',
  ],
  'go-0.3.3.traces.bin': [
    'on yes yes unknown',
    'off yes no unknown',
    'missing no - error',
    'colour yes blue unknown',
    'limit no - error',
  ],
  'go-0.3.7.metrics.bin': [
    'off yes no static',
    'on yes yes static',
    'colour yes blue static',
    'missing no - error',
    'limit no - error',
  ],
  'go-0.3.7.traces.bin': [
    'on yes yes static',
    'off no no static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit no low error type_mismatch',
  ],
  'go-feature-flag-1.55.2.traces.bin': [
    'on yes enabled unknown',
    'off no second unknown',
    'colour yes blue unknown',
    'limit yes low unknown',
    'missing no SdkDefault error',
  ],
  'js-0.2.4.metrics.bin': [
    'on yes yes static',
    'off yes no static',
    'plain no false static',
    'missing no false error',
    'colour yes blue static',
    'limit yes low static',
  ],
  'js-0.2.4.traces.bin': [
    'on yes yes unknown',
    'off yes no unknown',
    'plain no false unknown',
    'missing no false unknown',
    'colour yes blue unknown',
    'limit yes low unknown',
  ],
  'js-0.4.0.metrics.bin': [
    'on yes yes static',
    'off yes no static',
    'plain no false static',
    'colour yes blue static',
    'limit yes low static',
    'missing no - error',
  ],
  'js-0.4.0.traces.bin': [
    'on yes yes unknown',
    'off yes no unknown',
    'plain no false unknown',
    'colour yes blue unknown',
    'limit yes low unknown',
  ],
  'js-1.0.0-exporter-0.57.2.logs.bin': [
    'on yes yes static',
    'off no no static',
    'plain no - static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit yes - static',
    'theme yes - static',
  ],
  'js-1.0.0-span-event-hook.traces.bin': [
    'on yes yes static',
    'off no no static',
    'plain no - static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit yes - static',
    'theme yes - static',
  ],
  'js-1.0.0-span-hook.traces.bin': [
    'on yes yes static',
    'off no no static',
    'plain no - static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit yes - static',
    'theme yes - static',
  ],
  'js-1.0.0.logs.bin': [
    'on yes yes static',
    'off no no static',
    'plain no - static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit yes - static',
    'theme yes - static',
  ],
  'js-1.0.0.metrics.bin': [
    'on yes yes static',
    'off yes no static',
    'plain no false static',
    'colour yes blue static',
    'limit yes 10 static',
    'theme yes [object Object] static',
    'missing no - error',
  ],
  'launchdarkly-node-1.3.23-with-value.traces.bin': [
    'on yes 0 unknown',
    'off no 1 unknown',
    'missing no - unknown',
    'colour yes 0 unknown',
  ],
  'launchdarkly-node-1.3.23.traces.bin': [
    'on unknown 0 unknown',
    'off unknown 1 unknown',
    'missing unknown - unknown',
    'colour unknown 0 unknown',
  ],
  'launchdarkly-python-1.3.0-with-value.traces.bin': [
    'on yes 0 unknown',
    'off no 1 unknown',
    'missing no - unknown',
    'colour yes 0 unknown',
  ],
  'launchdarkly-python-1.3.0.traces.bin': [
    'on unknown 0 unknown',
    'off unknown 1 unknown',
    'missing unknown - unknown',
    'colour unknown 0 unknown',
  ],
  'python-0.1.3.traces.bin': [
    'on yes yes unknown',
    'off yes no unknown',
    'colour yes blue unknown',
    'limit yes low unknown',
  ],
  'python-0.3.1.traces.bin': [
    'on yes yes static',
    'off no no static',
    'missing no - error flag_not_found',
    'colour yes blue static',
    'limit yes low static',
  ],
};

describe('bodies of real senders of evaluations', () => {
  for (const [file, expected] of Object.entries(SENDERS))
    it(`are counted as they mean: ${file}`, () => {
      const signal = SIGNALS.find((one) => file.endsWith(`.${one}.bin`)) ?? 'logs';
      expect(countedOf(signal, readFileSync(path.join(FOLDER, file)))).to.have.members(expected);
    });

  it('are all expected', () => {
    expect(readdirSync(FOLDER)).to.have.members(Object.keys(SENDERS));
  });
});
