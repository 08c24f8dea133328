import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  EVALUATION_METRICS,
  EVENT_NAMES,
  FIELDS,
  NOT_ENABLED_REASONS,
  NOT_ENABLED_VARIANTS,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';

const [, text = ''] = readFileSync('docs/use/senders/openfeature.md', 'utf8').split(
  /\n## What is (?:stored|refused)\n/,
);

/** The names of fields in the code, as the document calls them. */
const STORED: Readonly<Record<string, readonly (keyof typeof FIELDS)[]>> = {
  application: ['application'],
  environment: ['environment'],
  instance: ['instance'],
  namespace: ['namespace'],
  SDK: ['sdkName', 'sdkLanguage', 'sdkVersion'],
  feature: ['feature'],
  variant: ['variant'],
  'index of the variation': ['variationIndex'],
  value: ['value'],
  reason: ['reason'],
  failure: ['failed'],
  'error type': ['errorType'],
  provider: ['provider'],
};

describe('the mapping of OpenTelemetry in the documents', () => {
  it('names every attribute that is read, in the same order', () => {
    const rows = [...text.matchAll(/^\| ([\w ]+?) +\| (.*?) *\|$/gm)].filter(
      ([, stored = '']) => stored in STORED,
    );
    const documented = Object.fromEntries(
      rows.map(([, stored = '', attributes = '']) => [
        stored,
        [...attributes.replace(/;.*/, '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      ]),
    );
    const inCode = Object.entries(STORED).map(([stored, fields]) => [
      stored,
      fields.flatMap((field) => FIELDS[field]),
    ]);
    expect(documented).to.deep.equal(Object.fromEntries(inCode));
    expect(Object.values(STORED).flat()).to.have.members(Object.keys(FIELDS));
  });

  for (const [what, begin, names] of [
    ['records', 'Records, span events and spans are evaluations if their name is', EVENT_NAMES],
    ['counters', 'Counters of evaluations are', new Set(EVALUATION_METRICS.keys())],
    ['reasons', 'if its reason is', NOT_ENABLED_REASONS],
    ['variants', 'its variant is', NOT_ENABLED_VARIANTS],
  ] as const)
    it(`names the same ${what}`, () => {
      const list = text.split(begin)[1]?.split(/\.\s|\bor if\b/)[0] ?? '';
      expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).to.have.members([...names]);
    });
});
